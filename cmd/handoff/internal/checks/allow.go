package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/git"
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

func (r Runner) allowances(of git.Repository) string { return filepath.Join(r.place(of), "allowed") }

const mostAllowed = 1 << 20 // bytes of digests

// Allowed tells whether a person allowed a list in a repository.
func (r Runner) Allowed(of git.Repository, l List) bool {
	digests, err := platform.ReadRegular(r.allowances(of), mostAllowed)
	return err == nil && slices.Contains(strings.Fields(string(digests)), l.Digest)
}

// Allow lets the commands of a list run in a repository. The caller has asked a person.
func (r Runner) Allow(of git.Repository, l List) error {
	if err := os.MkdirAll(r.place(of), 0o700); err != nil {
		return err
	}
	digests, err := platform.ReadRegular(r.allowances(of), mostAllowed)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return settle(r.allowances(of), string(digests)+l.Digest+"\n")
}

// Deny takes back all that a person allowed in a repository. It tells whether there was anything.
func (r Runner) Deny(of git.Repository) (bool, error) {
	err := os.Remove(r.allowances(of))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}
