package checks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/leave"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/tools/relay/platform"
)

// place is the directory of a repository below that of the runner. Worktrees share it.
func (r Runner) place(of git.Repository) string {
	common := of.Common
	if resolved, err := filepath.EvalSymlinks(common); err == nil {
		common = resolved
	}
	sum := sha256.Sum256([]byte(common))
	return filepath.Join(r.Dir, hex.EncodeToString(sum[:8]))
}

// Leave is the book of what a person allowed in a repository.
func (r Runner) Leave(of git.Repository) leave.Book {
	return leave.Book{Place: of.Common, State: filepath.Join(filepath.Dir(r.Dir), ".leave"), Before: filepath.Join(r.place(of), "allowed")}
}

// Denied says that nobody allowed the list of a repository, and why what somebody allowed does not count. It is nil where
// somebody did.
func (r Runner) Denied(from git.Repository, l List) error {
	book := r.Leave(from)
	given, err := book.Find(leave.Checks, l.Digest)
	if given != nil {
		return nil
	}
	why := "nobody allowed it, or it was changed since"
	if before, _ := platform.ReadRegular(book.Before, 1<<20); strings.Contains(string(before), l.Digest) {
		why = leave.Again
	}
	if err != nil {
		why = err.Error()
	}
	return schemas.Errorf(schemas.Denied, "the list of checks %s is not allowed: %s", l.Digest[:12], why).
		WithHint("A person allows it once, at a terminal: handoff allow --dir %s", shell.Quote(cmp.Or(from.Root, from.Dir)))
}
