// Package workspace finds which workspace a process belongs to and where its files are, so that two
// agents in one repository meet without being told.
//
// A workspace is named, by --workspace NAME or HANDOFF_WORKSPACE, or it is that of the project: the git
// repository around the project directory, shared by all its worktrees; without git the nearest parent that
// has a ".handoff" directory; else the project directory itself. The home directory and the root of the
// file system are never a project: everything on the machine would meet there.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
)

// Workspace is one mailbox system.
type Workspace struct {
	Name    string // as given, or made of the project: a slug and a hash of its path
	Dir     string // where its files are; it may not exist yet
	Project string // the path that stands for the project; empty if the workspace was named
	By      By
}

// By says what told which workspace it is.
type By string

// The ways to tell.
const (
	ByName      By = "name"                 // somebody named it
	ByGit       By = "git_common_directory" // which all worktrees of the repository share
	ByMark      By = "handoff_directory"    // the nearest directory with a ".handoff"
	ByDirectory By = "directory"            // the project directory itself
)

// Config says where to look.
type Config struct {
	Name   string // --workspace; empty finds that of the project
	Dir    string // --dir: the project directory; default that of the client, then Cwd
	Cwd    string
	Getenv func(string) string
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// Find gives the workspace. It reads the file system and creates nothing.
func Find(c Config) (Workspace, error) {
	if c.Name != "" {
		return Named(c.Name, c.Getenv)
	}
	state, err := stateDir(c.Getenv)
	if err != nil {
		return Workspace{}, err
	}
	project, by, err := c.project()
	if err != nil {
		return Workspace{}, err
	}
	name := nameOf(project)
	return Workspace{Name: name, Dir: filepath.Join(state, name), Project: project, By: by}, nil
}

// Named gives the workspace of a name. What is no name is refused before it becomes part of a path.
func Named(name string, getenv func(string) string) (Workspace, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return Workspace{}, err
	}
	if !nameForm.MatchString(name) {
		return Workspace{}, schemas.Invalidf("workspace", "%q is not a workspace name", schemas.Visible(name)).
			WithHint("Names are 1 to 64 of A-Z a-z 0-9 . _ - and do not begin with . or -. For a directory use --dir.")
	}
	return Workspace{Name: name, Dir: filepath.Join(state, name), By: ByName}, nil
}

// stateDir is the directory of all workspaces.
func stateDir(getenv func(string) string) (string, error) {
	home := homeDir(getenv)
	if home == "" && !filepath.IsAbs(getenv("XDG_STATE_HOME")) {
		return "", schemas.Errorf(schemas.Unavailable, "there is no place for files: neither XDG_STATE_HOME nor HOME is set").
			WithHint("Set XDG_STATE_HOME to an absolute path.")
	}
	return StateDir(getenv, home), nil
}

// StateDir is where handoff keeps what outlives it, for whoever has this home directory: by the XDG base directory
// specification, which has relative paths ignored. What begins with a dot there is no workspace.
func StateDir(getenv func(string) string, home string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "handoff")
}

func homeDir(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// project gives the path that stands for the project.
func (c Config) project() (string, By, error) {
	start, err := c.ProjectDir()
	if err != nil {
		return "", "", err
	}
	start = canonical(start)
	if r, ok := git.Find(start, c.never); ok {
		return canonical(r.Common), ByGit, nil
	}
	for dir := start; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if isDir(filepath.Join(dir, ".handoff")) && !c.never(dir) {
			return dir, ByMark, nil
		}
	}
	if c.never(start) {
		return "", "", schemas.Invalidf("workspace", "%s is not a project: everything would share one workspace there", start).
			WithHint("Go into a project, or name a workspace with --workspace NAME, or a project with --dir DIR.")
	}
	return start, ByDirectory, nil
}

// ProjectDir gives the absolute path of the directory in which the project is looked for.
func (c Config) ProjectDir() (string, error) {
	dir := c.Dir
	for _, name := range client.ProjectVariables() {
		if there := c.Getenv(name); dir == "" && filepath.IsAbs(there) && isDir(there) {
			dir = there
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Cwd, dir)
	}
	if !isDir(dir) {
		return "", schemas.Invalidf("dir", "%s is not a directory", dir).WithHint("Name the project's directory with --dir DIR.")
	}
	return filepath.Clean(dir), nil
}

// never tells the directories that are no project whatever they hold.
func (c Config) never(dir string) bool {
	return dir == filepath.Dir(dir) || dir == canonical(homeDir(c.Getenv))
}

func canonical(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

var noSlug = regexp.MustCompile(`[^a-z0-9_]+`)

// nameOf makes a name that people recognise and that no other path has.
func nameOf(project string) string {
	base := filepath.Base(project)
	if base == ".git" {
		base = filepath.Base(filepath.Dir(project))
	}
	slug := noSlug.ReplaceAllString(strings.ToLower(strings.TrimSuffix(base, ".git")), "-")
	slug = strings.Trim(slug[:min(len(slug), 40)], "-")
	if slug == "" {
		slug = "project"
	}
	sum := sha256.Sum256([]byte(project))
	return slug + "-" + hex.EncodeToString(sum[:6])
}
