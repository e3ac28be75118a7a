package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/shell"
)

// Neighbour is another workspace on this machine that may have the agents that are missing in this workspace.
type Neighbour struct {
	Workspace string `json:"workspace"`
	Project   string `json:"project"`            // the directory of its project
	Moved     bool   `json:"moved"`              // the project is this one: it was moved, or became a repository
	Relation  string `json:"relation,omitempty"` // of this repository to one that is still there, in words
	Join      string `json:"join"`               // the command that joins both workspaces
}

// String explains why agents of both workspaces do not meet.
func (n Neighbour) String() string {
	switch {
	case n.Moved && IsProjectGone(n.Project):
		return fmt.Sprintf("%s, whose project %s is gone. If this is it, moved, adopt brings its handoffs along",
			n.Workspace, n.Project)
	case n.Moved:
		return fmt.Sprintf("%s, of %s, which belongs to this workspace now. Adopt brings its handoffs along", n.Workspace, n.Project)
	case n.Relation != "":
		return fmt.Sprintf("%s, of %s: %s. Its handoffs stay there, and handoff --dir %s shows them. While nothing was sent here, import copies them",
			n.Workspace, n.Project, n.Relation, shell.Quote(n.Project))
	}
	return fmt.Sprintf("%s, of %s: agents there do not meet those here", n.Workspace, n.Project)
}

// FindNeighbours returns the neighbours of a workspace. A neighbour belongs to a directory above or below the project,
// unless both are git repositories. A workspace whose project is gone is a neighbour too, if its directory had the name
// of this one, or if its repository is this one. So is a workspace whose directory belongs to w now, and the workspace of
// a repository of which this one is a copy or a clone. A named workspace has no neighbours.
func FindNeighbours(w Workspace, getenv func(string) string) (beside []Neighbour) {
	if w.Project == "" {
		return nil
	}
	all, _ := All(getenv) // an unreadable workspace is no neighbour
	here := workTreeOf(w.Project)
	same := findSameRepositories(w, all)
	for _, other := range all {
		there, gone := workTreeOf(other.Project), IsProjectGone(other.Project)
		n := Neighbour{Workspace: other.Name, Project: there}
		switch {
		case other.Project == "" || other.Name == w.Name:
			continue
		case gone && filepath.Base(there) != filepath.Base(here) && !same[other.Name]:
			continue
		case gone || IsPart(other, w, getenv):
			n.Moved, n.Join = true, AdoptCommand(other, here)
		case same[other.Name]:
			n.Relation = relationOf(w)
			n.Join = fmt.Sprintf("handoff export --dir %s | handoff import - --dir %s", shell.Quote(there), shell.Quote(here))
		case here != w.Project && there != other.Project:
			continue // a repository inside another is intended
		case DirContains(there, here):
			n.Join = shareCommand(there, w.Project)
		case DirContains(here, there):
			n.Join = shareCommand(here, other.Project)
		default:
			continue
		}
		beside = append(beside, n)
	}
	return beside
}

// AdoptCommand returns the command that gives the project in a directory a workspace.
func AdoptCommand(w Workspace, dir string) string {
	return shell.JoinWords([]string{"handoff", "workspace", "adopt", w.Name, "--dir", dir})
}

// IsPart reports whether the project of a workspace belongs to another workspace now, for example because its directory
// became a git repository.
func IsPart(was, now Workspace, getenv func(string) string) bool {
	found, err := Find(Config{Dir: workTreeOf(RecordedProject(was)), Getenv: getenv})
	return err == nil && found.Name == now.Name && was.Name != now.Name
}

// workTreeOf returns the directory of a project. For a git repository it is the directory of the working tree.
func workTreeOf(project string) string {
	if filepath.Base(project) == ".git" {
		return filepath.Dir(project)
	}
	return project
}

// shareCommand returns the command that makes the project in below use the workspace of dir. A repository always has
// its own workspace, so its command sets HANDOFF_DIR. For other projects the command makes a directory .handoff in dir.
func shareCommand(dir, below string) string {
	if workTreeOf(below) != below {
		return shell.JoinWords([]string{"export", "HANDOFF_DIR=" + dir})
	}
	return shell.JoinWords([]string{"mkdir", filepath.Join(dir, ".handoff")})
}

// DirContains reports whether path is below dir. It compares the two paths as texts and follows no links.
func DirContains(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != "." && filepath.IsLocal(rest)
}

// IsProjectGone reports whether the directory of a project does not exist. It returns false for a directory that cannot
// be read.
func IsProjectGone(project string) bool {
	_, err := os.Stat(project)
	return errors.Is(err, fs.ErrNotExist)
}
