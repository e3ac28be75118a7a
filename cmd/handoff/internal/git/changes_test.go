package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/git"
)

func TestChanges_ListsCommittedAndUncommittedChanges(t *testing.T) {
	dir := newRepository(t)
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(".gitignore", "*.log\n")
	write("kept.go", "1")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-m", "second")
	since := runGit(t, dir, "rev-parse", "HEAD")
	write("changed é.go", "1")
	write("kept.go", "2")
	runGit(t, dir, "add", "changed é.go")
	runGit(t, dir, "commit", "-m", "third")
	write("new/x.go", "1")
	write("out.log", "1")

	// Git runs no program that the repository's settings name, and variables of a calling hook do not count.
	ran := filepath.Join(dir, "ran.log")
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager"} {
		runGit(t, dir, "config", key, "touch "+ran)
	}
	write(".git/info/attributes", "*.go diff=x\n")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	r, ok := git.FindRepository(dir, skipNone)
	require.True(t, ok)
	_, head := r.Head()
	committed, err := r.ChangedFiles(t.Context(), since, head)
	require.NoError(t, err)
	uncommitted, err := r.UncommittedFiles(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"changed é.go"}, committed)
	require.Equal(t, []string{"kept.go", "new/x.go"}, uncommitted)
	require.NoFileExists(t, ran)

	_, err = r.ChangedFiles(t.Context(), "1234567890123456789012345678901234567890", head)
	require.ErrorContains(t, err, "bad object")
	_, err = r.ChangedFiles(t.Context(), "--output=x", head)
	require.Error(t, err)
}

func TestBase_IsForkPointOfTargetBranch(t *testing.T) {
	origin := newRepository(t)
	first := runGit(t, origin, "rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "clone")
	runGit(t, origin, "clone", origin, dir)
	commit := func() string {
		runGit(t, dir, "commit", "--allow-empty", "-m", "more")
		return runGit(t, dir, "rev-parse", "HEAD")
	}
	base := func(want string) {
		t.Helper()
		r, ok := git.FindRepository(dir, skipNone)
		require.True(t, ok)
		branch, commit := r.Head()
		got, err := r.Base(t.Context(), branch, commit)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	base(first)
	second := commit()
	base(first)
	runGit(t, dir, "checkout", "-b", "topic/one")
	commit()
	runGit(t, dir, "push", "-u", "origin", "topic/one")
	base(first) // not the pushed branch itself
	runGit(t, dir, "branch", "--set-upstream-to", "main")
	base(second)
	runGit(t, dir, "remote", "remove", "origin")
	base(second)
	runGit(t, dir, "branch", "--unset-upstream")
	base(second)
	runGit(t, dir, "branch", "-m", "main", "trunk")
	base("")
	runGit(t, dir, "checkout", "--orphan", "apart")
	runGit(t, dir, "branch", "-m", "trunk", "main")
	base("")
	commit()
	base("")
}

// A superproject does not list the changes in its submodules, because they belong to another repository.
func TestUncommittedFiles_InEachKindOfTree(t *testing.T) {
	repo := newRepository(t)
	for _, file := range []string{"lib/a.go", "app/a.go"} {
		writeFile(t, filepath.Join(repo, file), "1")
	}
	runGit(t, repo, "add", ".")
	runGit(t, repo, "commit", "-m", "second")
	base, beside := runGit(t, repo, "rev-parse", "HEAD"), t.TempDir()
	linked, sparse, outer := filepath.Join(beside, "1", "linked"), filepath.Join(beside, "2", "sparse"), newRepository(t)
	runGit(t, repo, "worktree", "add", "-b", "linked", linked)
	runGit(t, repo, "clone", "--sparse", repo, sparse)
	runGit(t, sparse, "sparse-checkout", "set", "--sparse-index", "lib")
	runGit(t, outer, "submodule", "add", repo, "inner")
	runGit(t, outer, "commit", "-m", "second")
	for _, dir := range []string{repo, linked, sparse, filepath.Join(outer, "inner")} {
		runGit(t, dir, "checkout", "-B", "topic-"+filepath.Base(filepath.Dir(dir)))
		runGit(t, dir, "commit", "--allow-empty", "-m", "third")
		writeFile(t, filepath.Join(dir, "lib", "a.go"), "2")
		r := checkAgainstGit(t, dir)
		branch, commit := r.Head()
		found, err := r.Base(t.Context(), branch, commit)
		require.NoError(t, err, dir)
		require.Equal(t, base, found, dir)
		uncommitted, err := r.UncommittedFiles(t.Context())
		require.NoError(t, err, dir)
		require.Equal(t, []string{"lib/a.go"}, uncommitted, dir)
	}
	uncommitted, err := checkAgainstGit(t, outer).UncommittedFiles(t.Context())
	require.NoError(t, err)
	require.Empty(t, uncommitted)
}

func TestUncommittedFiles_FetchesNoMissingObjects(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		out, err := git.RunCommand(t.Context(), exec.Command("git", append([]string{"-C", dir}, args...)...))
		require.NoError(t, err)
		return strings.TrimSpace(out)
	}
	run("init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600))
	run("add", "f")
	run("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x")
	tree, ran := run("rev-parse", "HEAD^{tree}"), filepath.Join(dir, "ran")
	for name, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": "ext::touch " + ran, "protocol.ext.allow": "always",
	} {
		run("config", name, value)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, ".git", "objects", tree[:2], tree[2:])))
	r, found := git.FindRepository(dir, func(string) bool { return false })
	require.True(t, found)
	_, err := r.UncommittedFiles(t.Context())
	require.Error(t, err)
	require.NoFileExists(t, ran)
}
