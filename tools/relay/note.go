package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"handoff/schemas"
	"handoff/tools/platform"
)

// A Note says which process owns the store of a workspace and where that process listens. It is the file owner.json
// beside the store, readable by this user only. It is a hint: only the lock says who owns the store, and an owner that
// was killed leaves its note behind. Programs of other versions read it, so the names of its fields never change.
//
// The owner writes it before the store is open, again when the note or the socket was removed, and removes it when it
// ends well. It is also what an owner answers when it is asked who it is, and what a process says of itself when it
// asks an owner to give the store up. A field that a version does not know is ignored.
type Note struct {
	PID          int       `json:"pid"`
	Program      string    `json:"program,omitempty"` // the file that the process runs, see [platform.Program]
	Started      time.Time `json:"started"`           // when the process became the owner
	Boot         string    `json:"boot,omitempty"`    // see [platform.BootID]
	PIDNamespace string    `json:"pids,omitempty"`    // within which PID is its number: a container has numbers of its own
	Version      string    `json:"version"`           // of the program
	Stays        bool      `json:"stays,omitempty"`   // see [Config]
	Protocol     Versions  `json:"protocol"`
	Lock         string    `json:"lock,omitempty"` // of the locked file, see [platform.FileID]; of a copy it is another
	Address      Address   `json:"address"`
}

// thisProcess is the note of this process, without what it says about its sharing.
func thisProcess(now time.Time) Note {
	program, _ := platform.Program("self") // empty where the system does not tell
	return Note{PID: os.Getpid(), Program: program, Started: now, Boot: platform.BootID(), PIDNamespace: pidNamespace()}
}

// pidNamespace is within which processes have numbers; empty where the system has one for all.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// Elsewhere reports whether the process of a note is in another container, where numbers of processes are others.
func (n Note) Elsewhere() bool {
	here := pidNamespace()
	return n.PIDNamespace != "" && here != "" && n.PIDNamespace != here
}

// Process says which process it is.
func (n Note) Process() string {
	if n.Elsewhere() {
		return "in another container"
	}
	return fmt.Sprintf("pid %d", n.PID)
}

// maxNote is a limit in bytes, many times what a note needs.
const maxNote = 64 << 10

// ReadNote reads the note in the directory of a workspace. Ok is false when there is none, or none that can be read. A
// note that was read may be of a process that has ended: see [Note.Running].
//
// It waits for nobody and takes no lock. A note of more than 64 KB is none.
func ReadNote(dir string) (n Note, ok bool) {
	content, err := platform.ReadRegular(notePath(dir), maxNote)
	if err != nil || json.Unmarshal(content, &n) != nil {
		return Note{}, false
	}
	return n, true
}

// HiddenNote reports whether the directory of a workspace has a note that this user may not read: another user has the
// workspace open, as somebody does who ran a command with sudo, or had it open and was killed.
func HiddenNote(dir string) bool {
	_, err := platform.ReadRegular(notePath(dir), maxNote)
	return errors.Is(err, fs.ErrPermission)
}

// writeNote replaces the note in one step, so that nobody reads half of one. It is called with the lock held, because
// all processes use the same name for the unfinished file.
//
// A process that dies in between leaves the note as it was, and a file that the next owner removes.
func writeNote(dir string, n Note) error {
	content, _ := json.Marshal(n) // texts and numbers can be encoded
	unfinished := notePath(dir) + ".new"
	if err := removeFile(unfinished); err != nil {
		return err
	}
	if err := os.WriteFile(unfinished, content, 0o600); err != nil { // it may hold a secret
		return err
	}
	return platform.Rename(unfinished, notePath(dir))
}

// removeFile removes a file. One that is not there is no error.
func removeFile(path string) error { return schemas.IgnoreError(fs.ErrNotExist, platform.Remove(path)) }

// Running reports whether the process of a note is still there. Numbers of processes are given again, so it also
// compares the start of the system and the program, where the system tells. A process that has ended and was not
// waited for by its parent runs no program.
//
// A process in another container is not seen. It counts as running, since its socket may be reached.
func (n Note) Running() bool {
	if n.rebooted() || n.Elsewhere() {
		return !n.rebooted()
	}
	if !platform.Runs(n.PID) {
		return false
	}
	program, err := platform.Program(strconv.Itoa(n.PID))
	return n.Program == "" || program == n.Program || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// sameOwner reports whether two notes are of the same process that became the owner at the same time.
func (n Note) sameOwner(as Note) bool { return n.PID == as.PID && n.Started.Equal(as.Started) }

// surelyRuns reports whether the number of a note is surely that of its process: where the system tells which program a
// process runs, and it is the one of the note.
func (n Note) surelyRuns() bool {
	program, err := platform.Program(strconv.Itoa(n.PID))
	return err == nil && program == n.Program && n.Running()
}

// rebooted reports whether the system was started after the note was written. It is false where the system does not
// tell.
func (n Note) rebooted() bool {
	now := platform.BootID()
	return n.Boot != "" && now != "" && n.Boot != now
}

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }
