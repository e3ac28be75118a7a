package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/git"
)

func TestChangesAreThoseOfCommitsAndThoseInNone(t *testing.T) {
	dir := repository(t)
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(".gitignore", "*.log\n")
	write("kept.go", "1")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-m", "second")
	since := run(t, dir, "rev-parse", "HEAD")
	write("changed é.go", "1")
	write("kept.go", "2")
	run(t, dir, "add", "changed é.go")
	run(t, dir, "commit", "-m", "third")
	write("new/x.go", "1")
	write("out.log", "1")

	// Settings of a repository that name programs run none of them, and a hook that calls us has no say.
	ran := filepath.Join(dir, "ran.log")
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager"} {
		run(t, dir, "config", key, "touch "+ran)
	}
	write(".git/info/attributes", "*.go diff=x\n")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	r, ok := git.Find(dir, anywhere)
	require.True(t, ok)
	committed, uncommitted, err := r.Changes(t.Context(), since)
	require.NoError(t, err)
	require.Equal(t, []string{"changed é.go"}, committed)
	require.Equal(t, []string{"kept.go", "new/"}, uncommitted)
	require.NoFileExists(t, ran)

	_, _, err = r.Changes(t.Context(), "1234567890123456789012345678901234567890")
	require.ErrorContains(t, err, "bad object")
	_, _, err = r.Changes(t.Context(), "--output=x")
	require.Error(t, err)
}
