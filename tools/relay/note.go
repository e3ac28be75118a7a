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

// A Note names the process that owns the store of a workspace, and the address where it listens. It is the file
// owner.json next to the store, readable by this user only. It is a hint: only the lock proves the owner, and a
// killed owner leaves its note behind. Programs of other versions read it, so the names of its fields never change.
//
// The owner writes it before the store is open, again when the note or the socket was removed, and removes it at an
// orderly end. An owner also answers a request for its identity with its note, and a process that asks an owner to
// give the store up sends its own note. A program ignores fields that its version does not know.
type Note struct {
	PID          int          `json:"pid"`
	Program      string       `json:"program,omitempty"` // name of the file that the process runs, see [platform.ProgramOf]
	Started      time.Time    `json:"started"`           // time at which the process became the owner
	Boot         string       `json:"boot,omitempty"`    // see [platform.BootID]
	PIDNamespace string       `json:"pids,omitempty"`    // namespace of PID: a container has numbers of its own
	Version      string       `json:"version"`           // of the program
	Stays        bool         `json:"stays,omitempty"`   // see [Config]
	Protocol     VersionRange `json:"protocol"`
	Lock         string       `json:"lock,omitempty"` // id of the locked file, see [platform.FileID]; a copy has another
	Address      Address      `json:"address"`
}

// thisProcess returns the note of this process, without the fields about its sharing.
func thisProcess(now time.Time) Note {
	program, _ := platform.ProgramOf("self") // empty if the system does not report it
	return Note{PID: os.Getpid(), Program: program, Started: now, Boot: platform.BootID(), PIDNamespace: pidNamespace()}
}

// pidNamespace returns the namespace of process numbers; empty if the system has one for all.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// IsInOtherContainer reports whether the process of a note is in another container, whose process numbers mean nothing here.
func (n Note) IsInOtherContainer() bool {
	here := pidNamespace()
	return n.PIDNamespace != "" && here != "" && n.PIDNamespace != here
}

// ProcessText describes the process of the note.
func (n Note) ProcessText() string {
	if n.IsInOtherContainer() {
		return "in another container"
	}
	return fmt.Sprintf("pid %d", n.PID)
}

// maxNote is a limit in bytes, many times the size of a note.
const maxNote = 64 << 10

// ReadNote reads the note in the directory of a workspace. Ok is false for a missing or unreadable note. The process
// of a note may have ended: see [Note.IsRunning].
//
// It neither waits nor takes a lock. It ignores a note of more than 64 KB.
func ReadNote(dir string) (n Note, ok bool) {
	content, err := platform.ReadRegular(notePath(dir), maxNote)
	if err != nil || json.Unmarshal(content, &n) != nil {
		return Note{}, false
	}
	return n, true
}

// HasUnreadableNote reports whether the directory of a workspace has a note that this user may not read: another user has
// the workspace open, for example root after a command with sudo, or had it open and was killed.
func HasUnreadableNote(dir string) bool {
	_, err := platform.ReadRegular(notePath(dir), maxNote)
	return errors.Is(err, fs.ErrPermission)
}

// writeNote replaces the note in one step, so that no process reads half of one. It is called with the lock held,
// because all processes use the same name for the unfinished file.
//
// A process that dies in between leaves the old note, and a file that the next owner removes.
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

// removeFile removes a file. A missing file is no error.
func removeFile(path string) error { return schemas.IgnoreError(fs.ErrNotExist, platform.Remove(path)) }

// IsRunning reports whether the process of a note still runs. The system reuses process numbers, so it also compares
// the start of the system and the program, if the system reports them. A process that has ended, but was not waited
// for by its parent, runs no program.
//
// A process in another container is not visible. It counts as running, since its socket may be reachable.
func (n Note) IsRunning() bool {
	if n.isFromBeforeReboot() || n.IsInOtherContainer() {
		return !n.isFromBeforeReboot()
	}
	if !platform.ProcessExists(n.PID) {
		return false
	}
	program, err := platform.ProgramOf(strconv.Itoa(n.PID))
	return n.Program == "" || program == n.Program || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// isSameOwner reports whether two notes are from the same process that became the owner at the same time.
func (n Note) isSameOwner(as Note) bool { return n.PID == as.PID && n.Started.Equal(as.Started) }

// isSurelyRunning reports whether the number in a note certainly belongs to its process: the system reports the program of
// the process, and it is the program in the note.
func (n Note) isSurelyRunning() bool {
	program, err := platform.ProgramOf(strconv.Itoa(n.PID))
	return err == nil && program == n.Program && n.IsRunning()
}

// isFromBeforeReboot reports whether the system was started after the note was written. It is false if the system does not
// report its start.
func (n Note) isFromBeforeReboot() bool {
	now := platform.BootID()
	return n.Boot != "" && now != "" && n.Boot != now
}

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }
