package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/tools/relay/platform"
)

// A Note tells others which process owns the store of a workspace and where it listens. It is only a hint,
// in a file beside the store: the lock is the truth, and an owner that was killed leaves its note behind.
type Note struct {
	PID      int       `json:"pid"`
	Program  string    `json:"program,omitempty"` // the name of the file it runs, where the system tells
	Started  time.Time `json:"started"`           // when it became the owner
	Boot     string    `json:"boot,omitempty"`    // of the system it runs on, where the system tells
	Version  string    `json:"version"`           // of the program
	Stays    bool      `json:"stays,omitempty"`   // it lives on, as a server does, and not for one command
	Protocol Versions  `json:"protocol"`
	Lock     string    `json:"lock,omitempty"` // which file it has locked, where the system tells: a copy of the note is of another
	Address  Address   `json:"address"`
}

// thisProcess is the note of the process itself, without what it is to say about its sharing.
func thisProcess(now time.Time) Note {
	n := Note{PID: os.Getpid(), Started: now, Boot: platform.BootID()}
	if runs, err := platform.Program("self"); err == nil {
		n.Program = runs
	}
	return n
}

// longestNote is many times what a note takes.
const longestNote = 64 << 10

// ReadNote reads the note in a workspace's directory. It is not ok when there is none or it cannot be read.
func ReadNote(dir string) (n Note, ok bool) {
	f, err := os.Open(notePath(dir))
	if err != nil {
		return Note{}, false
	}
	defer func() { _ = f.Close() }() // nothing was written
	if json.NewDecoder(io.LimitReader(f, longestNote)).Decode(&n) != nil {
		return Note{}, false
	}
	return n, true
}

// writeNote replaces the note in one step, so that nobody reads half of one. It is called with the lock held:
// the name of the unfinished file is the same for all.
func writeNote(dir string, n Note) error {
	content, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode the note of the owner: %w", err)
	}
	unfinished := notePath(dir) + ".new"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(unfinished, content, 0o600); err != nil { // it may hold a secret
		return err
	}
	return platform.Rename(unfinished, notePath(dir))
}

// removeNote is called with the lock held. It is no error when there is none.
func removeNote(dir string) error {
	err := platform.Remove(notePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }
