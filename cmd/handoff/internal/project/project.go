// Package project describes the project that work is handed over in, for context.project of a handoff.
package project

import (
	"path/filepath"

	"handoff/cmd/handoff/internal/git"
	"handoff/schemas"
)

// Describe tells the name, path, branch and commit of the git working tree around dir, or nil where there
// is none. Whether the tree is dirty is not told: only git itself can know.
func Describe(dir string) *schemas.Project {
	r, ok := git.Find(dir, func(string) bool { return false })
	if !ok || r.Root == "" {
		return nil
	}
	branch, commit := r.Head()
	return &schemas.Project{Name: filepath.Base(r.Root), Path: r.Root, Branch: branch, Commit: commit}
}
