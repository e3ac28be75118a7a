package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestTree_HasBranchAndCommit(t *testing.T) {
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
	tree, _ := (&Invoker{Dir: root}).workingTree()
	require.Equal(t, &schemas.Tree{Path: root, Branch: "topic/one", Commit: commit}, tree)
	none, _ := (&Invoker{Dir: "/"}).workingTree()
	require.Nil(t, none)
}
