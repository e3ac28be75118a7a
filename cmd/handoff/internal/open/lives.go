package open

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lives tells whether the process of a note is still there and, where /proc tells, runs the same program. One
// that ended and was not waited for yet runs none.
func (n note) lives() bool {
	if n.PID <= 0 {
		return false
	}
	p, err := os.FindProcess(n.PID)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // it was only looked at
	if errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return false
	}
	runs, err := program(strconv.Itoa(n.PID))
	return n.Program == "" || runs == n.Program || err != nil && !errors.Is(err, fs.ErrNotExist)
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
