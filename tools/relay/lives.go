package relay

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Lives tells whether the process of a note is still there, since the same start of the system, and, where
// the system tells, runs the same program: numbers of processes are given again. One that ended and was not
// waited for yet runs none.
//
// A process in another container is not seen, though its socket may be reached.
func (n Note) Lives() bool {
	if n.PID <= 0 || n.rebooted() || !alive(n.PID) {
		return false
	}
	runs, err := program(strconv.Itoa(n.PID))
	return n.Program == "" || runs == n.Program || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// rebooted tells whether the note is from before the system started. Where nothing tells, it is not.
func (n Note) rebooted() bool {
	now := bootID()
	return n.Boot != "" && now != "" && n.Boot != now
}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // it was only looked at
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// program is the name of the file that a process runs, by its number or "self". A file that was replaced
// meanwhile keeps its name.
func program(process string) (string, error) {
	path, err := os.Readlink(filepath.Join("/proc", process, "exe"))
	if err != nil {
		return "", err
	}
	return filepath.Base(strings.TrimSuffix(path, " (deleted)")), nil
}
