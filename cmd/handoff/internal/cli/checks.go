package cli

import (
	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/workspace"
)

// Checks runs the checks of the project in a directory; empty for no project.
func (a *App) Checks(dir string) (checking.Looker, error) {
	files, err := workspace.ChecksDir(a.Getenv)
	return checking.Looker{Dir: dir, Runner: checks.Runner{Dir: files, Executable: a.Executable, Getenv: a.Getenv, Now: a.Now}}, err
}
