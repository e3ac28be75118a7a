package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func skipNone(string) bool { return false }

// runGit runs the program git and returns its output.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{
		"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

func newRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(dir, "shop")
	require.NoError(t, os.Mkdir(dir, 0o755))
	runGit(t, dir, "init")
	runGit(t, dir, "commit", "--allow-empty", "-m", "first")
	return dir
}

// checkAgainstGit finds the repository of dir, and compares it with the output of git.
func checkAgainstGit(t *testing.T, dir string) git.Repository {
	t.Helper()
	r, ok := git.FindRepository(dir, skipNone)
	require.True(t, ok)
	require.Equal(t, runGit(t, dir, "rev-parse", "--path-format=absolute", "--git-dir"), r.Dir)
	require.Equal(t, runGit(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir"), r.Common)
	branch, commit := r.Head()
	require.Equal(t, runGit(t, dir, "branch", "--show-current"), branch)
	require.Equal(t, runGit(t, dir, "rev-parse", "HEAD"), commit)
	return r
}

// Head remembers files that are some seconds old.
func TestHead_SeesEachCommitAndBranch(t *testing.T) {
	repo := newRepository(t)
	old := time.Now().Add(-time.Hour)
	for _, args := range [][]string{{"commit", "--allow-empty", "-m", "second"}, {"switch", "-c", "topic"}, {"reset", "--hard", "HEAD~1"}} {
		for _, file := range []string{"HEAD", "refs/heads/main", "refs/heads/topic"} {
			_ = os.Chtimes(filepath.Join(repo, ".git", file), old, old) // the topic comes later
		}
		checkAgainstGit(t, repo)
		checkAgainstGit(t, repo)
		runGit(t, repo, args...)
		checkAgainstGit(t, repo)
	}
}

func TestFindRepository_FromSubdirectory(t *testing.T) {
	repo := newRepository(t)
	below := filepath.Join(repo, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o755))
	require.Equal(t, repo, checkAgainstGit(t, below).Root)
}

func TestFindRepository_WorktreesShareCommonDirectory(t *testing.T) {
	repo := newRepository(t)
	linked := filepath.Join(filepath.Dir(repo), "linked")
	runGit(t, repo, "worktree", "add", "-b", "topic/one", linked)
	r := checkAgainstGit(t, linked)
	require.Equal(t, linked, r.Root)
	require.Equal(t, checkAgainstGit(t, repo).Common, r.Common)
}

func TestFindRepository_SubmoduleIsOwnRepository(t *testing.T) {
	library, repo := newRepository(t), newRepository(t)
	runGit(t, repo, "submodule", "add", library, "lib")
	r := checkAgainstGit(t, filepath.Join(repo, "lib"))
	require.Equal(t, r.Dir, r.Common)
	require.NotEqual(t, checkAgainstGit(t, repo).Common, r.Common)
}

func TestFindRepository_BareRepositoryIsItsCommonDirectory(t *testing.T) {
	repo := newRepository(t)
	bare := filepath.Join(filepath.Dir(repo), "shop.git")
	runGit(t, repo, "clone", "--bare", repo, bare)
	require.Empty(t, checkAgainstGit(t, bare).Root)
	linked := filepath.Join(filepath.Dir(repo), "of-bare")
	runGit(t, bare, "worktree", "add", linked)
	require.Equal(t, bare, checkAgainstGit(t, linked).Common)
}

func TestFindRepository_SeparateGitDirectory(t *testing.T) {
	repo := newRepository(t)
	runGit(t, repo, "init", "--separate-git-dir", filepath.Join(filepath.Dir(repo), "elsewhere"))
	require.Equal(t, filepath.Join(filepath.Dir(repo), "elsewhere"), checkAgainstGit(t, repo).Common)
}

func TestHead_PackedAndDetached(t *testing.T) {
	repo := newRepository(t)
	runGit(t, repo, "tag", "-a", "v1", "-m", "one")
	runGit(t, repo, "pack-refs", "--all")
	checkAgainstGit(t, repo)
	runGit(t, repo, "checkout", "--detach")
	checkAgainstGit(t, repo)
}

func TestHead_BeforeFirstCommitHasOnlyBranch(t *testing.T) {
	repo := newRepository(t)
	runGit(t, repo, "checkout", "--orphan", "empty")
	r, ok := git.FindRepository(repo, skipNone)
	require.True(t, ok)
	branch, commit := r.Head()
	require.Equal(t, "empty", branch)
	require.Empty(t, commit)
}

func TestFindRepository_IgnoresOtherFolders(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, dir string){
		"nothing":              func(*testing.T, string) {},
		"an empty .git":        func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755)) },
		"a file to nowhere":    fileWriter("gitdir: /no/such/place\n"),
		"a file of other kind": fileWriter("hello\n"),
		"a huge file":          fileWriter("gitdir: " + strings.Repeat("x", 1<<17)),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make(t, dir)
			_, ok := git.FindRepository(dir, func(d string) bool { return d != dir })
			require.False(t, ok)
		})
	}
}

func fileWriter(content string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git"), []byte(content), 0o600))
	}
}

func TestFindRepository_SkipsDirectories(t *testing.T) {
	repo := newRepository(t)
	below := filepath.Join(repo, "notes")
	require.NoError(t, os.Mkdir(below, 0o755))
	r, ok := git.FindRepository(below, func(dir string) bool { return dir == repo })
	require.False(t, ok && r.Root == repo)
}

// A folder that is a git directory can be committed like any other, and then comes with a clone.
func TestFindRepository_IgnoresCommittedGitDirectory(t *testing.T) {
	victim, clone := newRepository(t), newRepository(t)
	trap := filepath.Join(clone, "docs")
	for _, dir := range []string{"objects", "refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(trap, dir), 0o755))
	}
	writeFile(t, filepath.Join(trap, "HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(trap, "commondir"), filepath.Join(victim, ".git")+"\n")
	r, ok := git.FindRepository(trap, skipNone)
	require.True(t, ok)
	require.Equal(t, clone, r.Root)
	require.Equal(t, filepath.Join(clone, ".git"), r.Common)
}

func TestFindRepository_CommonDirectoryMustReferBack(t *testing.T) {
	victim := newRepository(t)
	linked := filepath.Join(filepath.Dir(victim), "linked")
	runGit(t, victim, "worktree", "add", linked)
	registered := filepath.Join(victim, ".git", "worktrees", "linked")

	unregistered := t.TempDir() // names the victim; the victim does not list it
	writeFile(t, filepath.Join(unregistered, "g", "HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(unregistered, "g", "commondir"), filepath.Join(victim, ".git"))
	writeFile(t, filepath.Join(unregistered, "g", "gitdir"), filepath.Join(unregistered, ".git"))
	writeFile(t, filepath.Join(unregistered, ".git"), "gitdir: g\n")

	borrowed := t.TempDir() // names a worktree of the victim in another directory
	writeFile(t, filepath.Join(borrowed, ".git"), "gitdir: "+registered+"\n")

	direct, linkedTo := t.TempDir(), t.TempDir() // lead to the git directory of the victim itself
	writeFile(t, filepath.Join(direct, ".git"), "gitdir: "+filepath.Join(victim, ".git")+"\n")
	require.NoError(t, os.Symlink(filepath.Join(victim, ".git"), filepath.Join(linkedTo, ".git")))

	for _, dir := range []string{unregistered, borrowed, direct, linkedTo} {
		_, ok := git.FindRepository(dir, func(d string) bool { return d != dir })
		require.False(t, ok)
	}
	require.Equal(t, filepath.Join(victim, ".git"), checkAgainstGit(t, linked).Common)
}

func TestHead_ReadsPackedRefsFromRegularFileOnly(t *testing.T) {
	repo := newRepository(t)
	require.NoError(t, os.Remove(filepath.Join(repo, ".git", "refs", "heads", "main")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(repo, ".git", "packed-refs")))
	r, ok := git.FindRepository(repo, skipNone)
	require.True(t, ok)
	branch, commit := r.Head()
	require.Equal(t, "main", branch)
	require.Empty(t, commit)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
