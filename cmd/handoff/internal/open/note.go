package open

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A note tells others which process holds the store. It is only a hint: the lock is the truth, and a note
// whose process is gone says nothing. Whoever opens the store next removes it.
type note struct {
	PID     int    `json:"pid"`
	Program string `json:"program,omitempty"` // what that process runs: a number may be given again
}

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }

// leaveNote is called with the store taken. It gives the path of the note if there is one now.
func leaveNote(c Config) (string, error) {
	path := notePath(c.Dir)
	if !c.Server {
		return "", removeNote(c.Dir)
	}
	n := note{PID: os.Getpid()}
	if runs, err := program("self"); err == nil {
		n.Program = runs
	}
	content, err := json.Marshal(n)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o600)
}

func removeNote(dir string) error {
	if err := os.Remove(notePath(dir)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// owner gives the living process that says it holds the store, or 0.
func owner(dir string) int {
	if n, ok := readNote(dir); ok && n.lives() {
		return n.PID
	}
	return 0
}

// removeStale removes the note of a server that was killed: after that, opening may take a while, and others
// should not read meanwhile that somebody else has the store. Should a server leave its own note in between
// the reading and the removing, others only do not learn its number.
func removeStale(dir string) {
	if n, ok := readNote(dir); ok && !n.lives() {
		_ = removeNote(dir) // it is not believed anyway
	}
}

func readNote(dir string) (n note, ok bool) {
	content, err := os.ReadFile(notePath(dir))
	return n, err == nil && json.Unmarshal(content, &n) == nil
}
