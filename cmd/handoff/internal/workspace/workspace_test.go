package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// A world is a home directory with projects in it.
type world struct {
	t    *testing.T
	home string
	vars map[string]string
}

func newWorld(t *testing.T) world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return world{t: t, home: home, vars: map[string]string{"HOME": home}}
}

// dir makes a directory under the home directory.
func (w world) dir(parts ...string) string {
	w.t.Helper()
	path := filepath.Join(append([]string{w.home}, parts...)...)
	require.NoError(w.t, os.MkdirAll(path, 0o755))
	return path
}

func (w world) file(content string, parts ...string) {
	w.t.Helper()
	path := filepath.Join(append([]string{w.home}, parts...)...)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(content), 0o600))
}

func (w world) repository(parts ...string) string {
	w.gitDir(append(parts, ".git")...)
	return w.dir(parts...)
}

func (w world) gitDir(parts ...string) string {
	w.file("ref: refs/heads/main\n", append(parts, "HEAD")...)
	w.dir(append(parts, "objects")...)
	w.dir(append(parts, "refs")...)
	return w.dir(parts...)
}

func (w world) find(c workspace.Config) (workspace.Workspace, error) {
	c.Getenv = func(name string) string { return w.vars[name] }
	return workspace.Find(c)
}

func (w world) at(cwd string) workspace.Workspace {
	w.t.Helper()
	found, err := w.find(workspace.Config{Cwd: cwd})
	require.NoError(w.t, err)
	return found
}

func TestFind_RepositoryIsOneWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("workspaces are elsewhere")
	}
	w := newWorld(t)
	root := w.repository("src", "My Shop!")
	found := w.at(root)
	require.Regexp(t, `^my-shop-[0-9a-f]{12}$`, found.Name)
	require.Equal(t, filepath.Join(w.home, ".local", "state", "handoff", found.Name), found.Dir)
	require.Equal(t, filepath.Join(root, ".git"), found.Project)
	require.Equal(t, workspace.ByGit, found.By)
	require.Equal(t, found, w.at(w.dir("src", "My Shop!", "a", "b")))
	require.NotEqual(t, found.Name, w.at(w.repository("other", "My Shop!")).Name)
	require.Regexp(t, `^bare-[0-9a-f]{12}$`, w.at(w.gitDir("bare.git")).Name)
}

func TestFind_WorktreesShareWorkspace(t *testing.T) {
	w := newWorld(t)
	root := w.repository("shop")
	w.file("ref: refs/heads/topic\n", "shop", ".git", "worktrees", "topic", "HEAD")
	w.file("../..\n", "shop", ".git", "worktrees", "topic", "commondir")
	w.file(filepath.Join(w.home, "topic", ".git")+"\n", "shop", ".git", "worktrees", "topic", "gitdir")
	w.file("gitdir: ../shop/.git/worktrees/topic\n", "topic", ".git")
	require.Equal(t, w.at(root), w.at(filepath.Join(w.home, "topic")))
}

func TestFind_LinkLeadsToSameWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs a symbolic link")
	}
	w := newWorld(t)
	root := w.repository("shop")
	link := filepath.Join(w.home, "link")
	require.NoError(t, os.Symlink(root, link))
	require.Equal(t, w.at(root), w.at(link))
}

func TestFind_MarkedFolderWithoutGit(t *testing.T) {
	w := newWorld(t)
	w.dir("notes", ".handoff")
	marked := w.at(w.dir("notes", "2026", "may"))
	require.True(t, strings.HasPrefix(marked.Name, "notes-"), marked.Name)
	require.Equal(t, workspace.ByMark, marked.By)
	plain := w.at(w.dir("drafts", "deep"))
	require.True(t, strings.HasPrefix(plain.Name, "deep-"), plain.Name)
	require.Equal(t, workspace.ByDirectory, plain.By)
}

func TestFind_ProjectDirectoryOfClient(t *testing.T) {
	w := newWorld(t)
	shop, other := w.repository("shop"), w.repository("other")
	want := w.at(shop)

	w.vars["CLAUDE_PROJECT_DIR"] = shop
	require.Equal(t, want, w.at(other))

	byFlag, err := w.find(workspace.Config{Dir: "../shop", Cwd: other})
	require.NoError(t, err)
	require.Equal(t, want, byFlag)

	w.vars["CLAUDE_PROJECT_DIR"] = "${CLAUDE_PROJECT_DIR}" // some clients do not expand it
	require.NotEqual(t, want, w.at(other))
}

// A client without a project starts in the home directory. Its model must not read all files there.
func TestFilesDir_IsNeverHomeDirectory(t *testing.T) {
	w := newWorld(t)
	for dir, want := range map[string]string{w.dir("app"): w.dir("app"), w.home: "", "/": ""} {
		files, err := workspace.Config{Name: "team", Cwd: dir, Getenv: func(name string) string { return w.vars[name] }}.FilesDir()
		require.NoError(t, err)
		require.Equal(t, want, files, dir)
	}
}

func TestFind_NamedWorkspaceIsSameEverywhere(t *testing.T) {
	w := newWorld(t)
	w.vars["XDG_STATE_HOME"] = filepath.Join(w.home, "state")
	found, err := w.find(workspace.Config{Name: "team-1", Cwd: "/"})
	require.NoError(t, err)
	require.Equal(t, workspace.Workspace{Name: "team-1", Dir: filepath.Join(w.home, "state", "handoff", "team-1"), By: workspace.ByName}, found)
}

func TestNamed_RefusesPath(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{".", "..", "../x", "/tmp/x", "-x", ".hidden", "a b", strings.Repeat("a", 65)} {
		_, err := w.find(workspace.Config{Name: name, Cwd: w.home})
		require.ErrorContains(t, err, "is not a workspace name", name)
	}
}

func TestFind_RefusesHomeDirectory(t *testing.T) {
	w := newWorld(t)
	w.repository() // a repository of dotfiles is not the project of all directories below it
	w.dir(".handoff")
	for _, cwd := range []string{w.home, "/"} {
		_, err := w.find(workspace.Config{Cwd: cwd})
		coded := schemas.AsError(err)
		require.Equal(t, schemas.Invalid, coded.Code)
		require.Contains(t, coded.Hint, "--workspace NAME")
	}
	require.True(t, strings.HasPrefix(w.at(w.dir("notes")).Name, "notes-"))
}

func TestFind_ReportsMissingDirectory(t *testing.T) {
	w := newWorld(t)
	_, err := w.find(workspace.Config{Dir: "no-such", Cwd: w.home})
	require.ErrorContains(t, err, "no-such is not a directory")

	delete(w.vars, "HOME")
	_, err = w.find(workspace.Config{Name: "x", Cwd: w.home})
	require.ErrorContains(t, err, "neither XDG_STATE_HOME nor HOME is set")
}
