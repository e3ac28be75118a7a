package checks

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/tools/platform"
)

// repositoryDir returns the directory, below r.Dir, with the runner's files for a repository. All worktrees of a
// repository share this directory.
func (r Runner) repositoryDir(of git.Repository) string {
	return filepath.Join(r.Dir, fmt.Sprintf("%x", sha256.Sum256([]byte(platform.ResolveLinks(of.Common))))[:16])
}

// Permissions returns the permissions of a person in a repository.
func (r Runner) Permissions(of git.Repository) consent.PermissionBook {
	return consent.PermissionBook{IDDir: of.Common, StateDir: filepath.Join(filepath.Dir(r.Dir), ".leave")}
}

// CheckPermission returns nil if a person allowed this list of checks of the repository. Otherwise it returns an error.
// If a person allowed the list but the permission does not count, the error says why.
func (r Runner) CheckPermission(from git.Repository, l List) error {
	given, err := r.Permissions(from).Find(consent.Checks, l.Digest)
	if given != nil {
		return nil
	}
	why := "nobody allowed it, or it was changed since"
	if err != nil {
		why = err.Error()
	}
	return schemas.Errorf(schemas.Denied, "the list of checks %s is not allowed: %s", l.Digest[:12], why).
		WithHint("A person allows it once, at a terminal: handoff allow --dir %s", shell.Quote(cmp.Or(from.Root, from.Dir)))
}
