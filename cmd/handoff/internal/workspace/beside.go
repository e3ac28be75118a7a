package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/shell"
)

// A Neighbour is another workspace on this machine in which agents may be that are missing in this one.
type Neighbour struct {
	Workspace string `json:"workspace"`
	Project   string `json:"project"` // the directory of it
	Moved     bool   `json:"moved"`   // the directory is gone; else it is above or below the other's directory
	Join      string `json:"join"`    // the command after which there is one workspace
}

// String says why nobody meets there, and how that is with [Neighbour.Join].
func (n Neighbour) String() string {
	if n.Moved {
		return fmt.Sprintf("%s, whose project %s is gone. If this is it, moved, adopt brings its handoffs along",
			n.Workspace, n.Project)
	}
	return fmt.Sprintf("%s, of %s: agents there do not meet those here", n.Workspace, n.Project)
}

// Neighbours returns the neighbours of a workspace: workspaces of directories above and below its own, of which one
// is no git repository, and workspaces whose directory is gone and had the same name. A workspace that was named has
// none.
func Neighbours(w Workspace, getenv func(string) string) (beside []Neighbour) {
	if w.Project == "" {
		return nil
	}
	all, _ := All(getenv) // an unreadable workspace is no neighbour
	here := rootOf(w.Project)
	for _, other := range all {
		there := rootOf(other.Project)
		n := Neighbour{Workspace: other.Name, Project: there}
		switch {
		case other.Project == "" || other.Name == w.Name:
			continue
		case IsGone(other.Project):
			if filepath.Base(there) != filepath.Base(here) {
				continue
			}
			n.Moved, n.Join = true, shell.Line([]string{"handoff", "workspace", "adopt", other.Name, "--dir", here})
		case here != w.Project && there != other.Project:
			continue // one repository in another is meant so
		case DirContains(there, here):
			n.Join = joinCommand(there, w.Project)
		case DirContains(here, there):
			n.Join = joinCommand(here, other.Project)
		default:
			continue
		}
		beside = append(beside, n)
	}
	return beside
}

// rootOf returns the directory of a project: for a git repository the directory of its working tree.
func rootOf(project string) string {
	if filepath.Base(project) == ".git" {
		return filepath.Dir(project)
	}
	return project
}

// joinCommand is the command after which a project below a directory has the workspace of that directory. A repository has its
// own unless it is told otherwise.
func joinCommand(dir, below string) string {
	if rootOf(below) != below {
		return shell.Line([]string{"export", "HANDOFF_DIR=" + dir})
	}
	return shell.Line([]string{"mkdir", filepath.Join(dir, ".handoff")})
}

// DirContains tells whether a path is below a directory, as far as the two are spelled alike.
func DirContains(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != "." && filepath.IsLocal(rest)
}

// IsGone reports whether a project certainly does not exist. A project that only cannot be read now is not gone.
func IsGone(project string) bool {
	_, err := os.Stat(project)
	return errors.Is(err, fs.ErrNotExist)
}
