package cli

import (
	"path/filepath"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/workspace"
)

// Checks runs the checks of the project in a directory; empty for no project.
func (a *App) Checks(dir string) (checking.ProjectChecks, error) {
	files, err := workspace.ChecksDir(a.Getenv)
	return checking.ProjectChecks{Dir: dir, Runner: checks.Runner{Dir: files, Executable: a.Executable, Getenv: a.Getenv, Now: a.Now}}, err
}

// Leave is the book of what this user allowed in the project: that of its repository, else one beside the files of the
// project. Where nothing is known of the project nothing is allowed.
func (a *App) Leave() consent.Book {
	dir, err := a.Location().ProjectDir()
	looker, none := a.Checks(dir)
	if err != nil || none != nil {
		return consent.Book{}
	}
	r, ok := git.Find(dir, func(string) bool { return false })
	if !ok {
		if root, err := a.Location().Root(); err == nil {
			dir = root
		}
		r.Common = filepath.Join(dir, ".handoff")
	}
	return looker.Runner.Leave(r)
}
