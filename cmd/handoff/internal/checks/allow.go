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

// place is the directory of a repository below that of the runner. Worktrees share it.
func (r Runner) place(of git.Repository) string {
	return filepath.Join(r.Dir, fmt.Sprintf("%x", sha256.Sum256([]byte(platform.Canonical(of.Common))))[:16])
}

// Leave is the book of what a person allowed in a repository.
func (r Runner) Leave(of git.Repository) consent.Book {
	return consent.Book{IDDir: of.Common, StateDir: filepath.Join(filepath.Dir(r.Dir), ".leave")}
}

// Denied says that nobody allowed the list of a repository, and why what somebody allowed does not count. It is nil where
// somebody did.
func (r Runner) Denied(from git.Repository, l List) error {
	given, err := r.Leave(from).Find(consent.Checks, l.Digest)
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
