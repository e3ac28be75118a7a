package cli

import (
	"path/filepath"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/checks"
	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/workspace"
)

// Checks returns the checks of the project in a directory. Without a project the result runs no checks.
func (a *App) Checks(dir string) (checking.ProjectChecks, error) {
	files, err := workspace.ChecksDir(a.Getenv)
	return checking.ProjectChecks{Dir: dir, Runner: checks.Runner{Dir: files, Executable: a.Executable, Getenv: a.Getenv, Now: a.Now}}, err
}

// Permissions returns the permissions that this user gave in the project. They belong to the repository of the project.
// Without git they belong to the project's directory .handoff. Without a project the result allows nothing.
func (a *App) Permissions() consent.PermissionBook {
	dir, err := a.WorkspaceConfig().ProjectDir()
	looker, none := a.Checks(dir)
	if err != nil || none != nil {
		return consent.PermissionBook{}
	}
	r, ok := git.FindRepository(dir, func(string) bool { return false })
	if !ok {
		if root, err := a.WorkspaceConfig().Root(); err == nil {
			dir = root
		}
		r.Common = filepath.Join(dir, ".handoff")
	}
	return looker.Runner.Permissions(r)
}
