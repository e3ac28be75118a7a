package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/schemas"
	"handoff/tools/platform"
)

// A Note names the process that owns the store of a workspace, and the address where that process listens. It is the
// file owner.json next to the store, readable by this user only. It is only a hint: the lock proves the owner, and a
// killed owner leaves its note behind. Programs of other versions read it, so the names of its fields never change, and
// unknown fields are ignored.
//
// The owner writes the note before it opens the store, and again if the note or the socket was removed. It removes the
// note at an orderly end. An owner also sends its note to a process that asks for it. A process sends its own note when
// it asks the owner to give the store up.
type Note struct {
	PID          int          `json:"pid"`
	Process      int          `json:"process,omitempty"` // see [platform.ProcessID]
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
	pid := os.Getpid()
	return Note{PID: pid, Process: platform.ProcessID(pid), Started: now, Boot: platform.BootID(), PIDNamespace: pidNamespace()}
}

// pidNamespace returns the namespace of process numbers; empty if the system has one for all.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// IsInOtherContainer reports whether the process of a note is in another container. The process numbers of another
// container mean nothing here.
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

// ReadNote reads the note in the directory of a workspace, without waiting or locking. Ok is false for a note that is
// missing, unreadable or above 64 KB. The process of the note may have ended, see [Note.IsRunning].
func ReadNote(dir string) (n Note, ok bool) {
	content, err := platform.ReadRegular(notePath(dir), maxNote)
	if err != nil || json.Unmarshal(content, &n) != nil {
		return Note{}, false
	}
	return n, true
}

// HasUnreadableNote reports whether the directory of a workspace has a note that this user may not read. Then another
// user has the workspace open or was killed while it was open, for example root after a command with sudo.
func HasUnreadableNote(dir string) bool {
	_, err := platform.ReadRegular(notePath(dir), maxNote)
	return errors.Is(err, fs.ErrPermission)
}

// writeNote replaces the note in one step, so that no process reads half of a note. It is called with the lock held,
// because all owners use the same name for the temporary file. If the process dies meanwhile, the old note stays.
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

// IsRunning reports whether the process of a note still runs. The system uses process numbers again, so IsRunning also
// compares the id of the process, if the note has it. A process that has ended, but was not waited for by its parent,
// does not count as running. A process in another container cannot be seen. It counts as running until the system is
// started again, because its socket may be reachable.
func (n Note) IsRunning() bool {
	boot := platform.BootID()
	switch {
	case n.Boot != "" && boot != "" && n.Boot != boot:
		return false
	case n.IsInOtherContainer():
		return true
	case n.Process == 0:
		return platform.ProcessExists(n.PID)
	}
	return n.Process == platform.ProcessID(n.PID)
}

// isSameOwner reports whether two notes are from the same process that became the owner at the same time.
func (n Note) isSameOwner(as Note) bool { return n.PID == as.PID && n.Started.Equal(as.Started) }

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }
