package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/project"
	"handoff/schemas"
)

func TestDescribeTellsRepositoryBranchAndCommit(t *testing.T) {
	root := filepath.Join(t.TempDir(), "shop")
	commit := strings.Repeat("1a", 20)
	for path, content := range map[string]string{
		".git/HEAD":               "ref: refs/heads/topic/one\n",
		".git/refs/heads/topic/x": "",
		".git/objects/x":          "",
		".git/packed-refs":        "# pack-refs with: peeled\n" + commit + " refs/heads/topic/one\n",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	require.Equal(t, &schemas.Project{Name: "shop", Path: root, Branch: "topic/one", Commit: commit}, project.Describe(root))
}

func TestDescribeIsNothingWithoutGit(t *testing.T) {
	require.Nil(t, project.Describe("/"))
}
