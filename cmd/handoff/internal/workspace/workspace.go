// Package workspace finds the workspace of a process ([Find]), and knows the paths of its files. All processes in a
// repository find the same workspace, so the agents there need no configuration.
//
// A workspace has a name that --workspace or HANDOFF_WORKSPACE gives, or it belongs to a project. The project is the
// git repository around the project directory, with all its worktrees. Without git, the project is the nearest parent
// directory with a directory ".handoff", or else the project directory itself. The home directory and the root of the
// file system are never a project, because all agents of the machine would share it. A worktree that its repository
// does not list is no project either: a downloaded folder could name any repository, and in a workspace of its own the
// agents of the worktree would miss the agents of the repository.
//
// A project that is moved gets another name. Its old workspace has a note of its path and of an early commit, by which
// [FindNeighbours] recognises it.
package workspace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/tools/platform"
)

// Workspace is a set of mailboxes that the agents of a project share.
type Workspace struct {
	Name    string // the given name, or a slug and a hash of the path of the project
	Dir     string // of its files; it may not exist yet
	Project string // the path of the project; empty if the workspace was named
	By      FoundBy
}

// FoundBy says how a workspace was found.
type FoundBy string

// The ways to find a workspace.
const (
	ByName      FoundBy = "name"                 // it was named
	ByGit       FoundBy = "git_common_directory" // all worktrees of the repository share it
	ByMark      FoundBy = "handoff_directory"    // the nearest directory with a ".handoff"
	ByDirectory FoundBy = "directory"            // the project directory itself
)

// Config says where to look for the workspace. Getenv is required.
type Config struct {
	Name   string // --workspace; empty finds the project's workspace
	Dir    string // --dir: the project directory; default: the client's, then Cwd
	Cwd    string
	Getenv func(string) string
}

// Find returns the workspace of a process. It reads the file system and writes nothing. Errors are *[schemas.Error].
func Find(c Config) (Workspace, error) {
	if c.Name != "" {
		return Named(c.Name, c.Getenv)
	}
	state, err := stateDir(c.Getenv)
	if err != nil {
		return Workspace{}, err
	}
	project, by, err := c.findProject()
	if err != nil {
		return Workspace{}, err
	}
	name := workspaceNameOf(project)
	return Workspace{Name: name, Dir: filepath.Join(state, name), Project: project, By: by}, nil
}

// Named returns the workspace with a name. It refuses an invalid name, because the name becomes a part of a path.
func Named(name string, getenv func(string) string) (Workspace, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return Workspace{}, err
	}
	if !schemas.IsValidName(name) {
		return Workspace{}, schemas.Invalidf("workspace", "%q is not a workspace name", schemas.EscapeHidden(name)).
			WithHint("Names are 1 to 64 of A-Z a-z 0-9 . _ - and do not begin with . or -. For a directory use --dir.")
	}
	return Workspace{Name: name, Dir: filepath.Join(state, name), By: ByName}, nil
}

// stateDir returns the directory of all workspaces.
func stateDir(getenv func(string) string) (string, error) {
	home := Home(getenv)
	if home == "" && !filepath.IsAbs(getenv("XDG_STATE_HOME")) {
		const said = "there is no place for files: neither XDG_STATE_HOME nor HOME is set"
		return "", schemas.Errorf(schemas.Unavailable, said).WithHint("Set XDG_STATE_HOME to an absolute path, for a server in the client's configuration of it.")
	}
	return StateDir(getenv, home), nil
}

// StateDir returns the directory for handoff's files of a user with the given home directory. It follows the XDG base
// directory specification, which ignores relative paths. The exception is Windows without XDG_STATE_HOME: there it is
// the usual directory for data of programs. Directories in it that begin with a dot are no workspaces.
func StateDir(getenv func(string) string, home string) string {
	state := getenv("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(state):
	case runtime.GOOS != "windows":
		state = filepath.Join(home, ".local", "state")
	case filepath.IsAbs(getenv("LOCALAPPDATA")):
		state = getenv("LOCALAPPDATA")
	default:
		state = filepath.Join(home, "AppData", "Local")
	}
	return filepath.Join(state, "handoff")
}

// ChecksDir returns the directory of the files of package checks.
func ChecksDir(getenv func(string) string) (string, error) {
	state, err := stateDir(getenv)
	return filepath.Join(state, ".checks"), err
}

// Home returns the home directory of the user, or "" if no variable has it. On Windows it reads USERPROFILE before
// HOME, because some shells set HOME to a directory that other programs do not use.
func Home(getenv func(string) string) string {
	names := []string{"HOME", "USERPROFILE"}
	if runtime.GOOS == "windows" {
		slices.Reverse(names)
	}
	for _, name := range names {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// findProject returns the path of the project, and how the project was found.
func (c Config) findProject() (string, FoundBy, error) {
	start, err := c.ProjectDir()
	if err != nil {
		return "", "", err
	}
	start = platform.ResolveLinks(start)
	r, ok := git.FindRepository(start, c.isNeverProject)
	lost, is := git.FindLostWorktree(start, r.Root, c.isNeverProject)
	if is && (!ok || platform.Exists(lost.Repository) && !platform.IsSameFile(lost.Repository, r.Common)) {
		return "", "", lostWorktreeError(lost)
	}
	if ok {
		return platform.ResolveLinks(r.Common), ByGit, nil
	}
	for dir := start; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if platform.IsDir(filepath.Join(dir, ".handoff")) && !c.isNeverProject(dir) {
			return dir, ByMark, nil
		}
	}
	if c.isNeverProject(start) {
		const said = "%s is not a project: everything would share one workspace there"
		return "", "", schemas.Invalidf("workspace", said, start).
			WithHint("Go into a project, or name a workspace with --workspace NAME, or a project with --dir DIR.")
	}
	return start, ByDirectory, nil
}

// lostWorktreeError returns the error for a worktree that its repository does not list. Any folder could name a
// repository of this machine, so the folder does not get the workspace of the repository. It gets none of its own
// either, because agents there would miss the agents of the repository.
func lostWorktreeError(lost git.LostWorktree) *schemas.Error {
	home := workTreeOf(lost.Repository)
	if !platform.Exists(lost.Repository) {
		return schemas.Errorf(schemas.Conflict, "%s is a worktree of %s, which is not there", lost.Root, home).
			WithHint("If the repository was moved, run in its new directory: git worktree repair %s. Or name the repository with --dir DIR.",
				shell.Quote(lost.Root))
	}
	return schemas.Errorf(schemas.Conflict, "%s is a worktree of %s, which notes it at %s", lost.Root, home, lost.Noted).
		WithHint("If it was moved, run here: git worktree repair. If it is mounted at another path, as in a container, "+
			"name the workspace of the repository with --workspace %s, or the repository with --dir %s.",
			workspaceNameOf(platform.ResolveLinks(lost.Repository)), shell.Quote(lost.Repository))
}

// Root returns the directory with the files of the project. For a git repository it is the main working tree, even if
// the process is in a linked worktree. Otherwise it is the project directory.
func (c Config) Root() (string, error) {
	project, by, err := c.findProject()
	if by != ByGit || err != nil {
		return project, err
	}
	if filepath.Base(project) == ".git" {
		return filepath.Dir(project), nil
	}
	start, err := c.ProjectDir()
	if r, ok := git.FindRepository(platform.ResolveLinks(start), c.isNeverProject); ok && r.Root != "" { // a submodule, or a git directory elsewhere
		return r.Root, err
	}
	return project, err
}

// ProjectDir returns the absolute path of the directory where the search for the project begins. It is Dir, or else the
// project directory that the client names in the environment, or else Cwd.
func (c Config) ProjectDir() (string, error) {
	dir := c.Dir
	for _, name := range client.ProjectVariables() {
		if there := c.Getenv(name); dir == "" && filepath.IsAbs(there) && platform.IsDir(there) {
			dir = there
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Cwd, dir)
	}
	if !platform.IsDir(dir) {
		return "", schemas.Invalidf("dir", "%s is not a directory", dir).
			WithHint("Name the project's directory with --dir DIR.")
	}
	return filepath.Clean(dir), nil
}

// FilesDir returns the directory whose files calls may attach, which is the project directory. It returns "" if that
// directory is the home directory or the root of the file system, or if it is Cwd and does not exist any more.
func (c Config) FilesDir() (string, error) {
	dir, err := c.ProjectDir()
	if err != nil && c.Dir == "" {
		return "", nil
	}
	if err != nil || c.isNeverProject(platform.ResolveLinks(dir)) {
		return "", err
	}
	return dir, nil
}

// isNeverProject reports whether a directory is the home directory or the root of the file system.
func (c Config) isNeverProject(dir string) bool {
	return dir == filepath.Dir(dir) || dir == platform.ResolveLinks(Home(c.Getenv))
}

var nonSlug = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9_]+`) })

// workspaceNameOf returns the name of the workspace for the path of a project. The name has a readable part, and a hash
// that differs for each path.
func workspaceNameOf(project string) string {
	base := filepath.Base(workTreeOf(project))
	slug := nonSlug().ReplaceAllString(strings.ToLower(strings.TrimSuffix(base, ".git")), "-")
	slug = strings.Trim(slug[:min(len(slug), 40)], "-")
	sum := sha256.Sum256([]byte(project))
	return cmp.Or(slug, "project") + "-" + hex.EncodeToString(sum[:6])
}
