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
	_, head := r.Head()
	committed, err := r.Changed(t.Context(), since, head)
	require.NoError(t, err)
	_, uncommitted, err := r.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"changed é.go"}, committed)
	require.Equal(t, []string{"kept.go", "new/x.go"}, uncommitted)
	require.NoFileExists(t, ran)

	_, err = r.Changed(t.Context(), "1234567890123456789012345678901234567890", head)
	require.ErrorContains(t, err, "bad object")
	_, err = r.Changed(t.Context(), "--output=x", head)
	require.Error(t, err)
}

func TestTheBaseIsWhereTheBranchLeftThatIntoWhichItGoes(t *testing.T) {
	origin := repository(t)
	first := run(t, origin, "rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "clone")
	run(t, origin, "clone", origin, dir)
	commit := func() string {
		run(t, dir, "commit", "--allow-empty", "-m", "more")
		return run(t, dir, "rev-parse", "HEAD")
	}
	base := func(want string) {
		t.Helper()
		r, ok := git.Find(dir, anywhere)
		require.True(t, ok)
		got, _, err := r.Status(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	base(first)
	second := commit()
	base(first)
	run(t, dir, "checkout", "-b", "topic/one")
	commit()
	run(t, dir, "push", "-u", "origin", "topic/one")
	base(first) // and not the branch itself, as it was pushed
	run(t, dir, "branch", "--set-upstream-to", "main")
	base(second)
	run(t, dir, "remote", "remove", "origin")
	base(second)
	run(t, dir, "branch", "--unset-upstream")
	base(second)
	run(t, dir, "branch", "-m", "main", "trunk")
	base("")
	run(t, dir, "checkout", "--orphan", "apart")
	run(t, dir, "branch", "-m", "trunk", "main")
	base("")
	commit()
	base("")
}
