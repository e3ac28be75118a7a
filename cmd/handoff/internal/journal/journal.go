// Package journal writes and reads handoff.log, the log in the directory of a workspace. The owner of the workspace
// logs its work for other processes there. It logs its work for its own client to stderr.
//
// Only the process that holds the lock of the workspace writes. A line that the disk does not take in time is lost,
// because a log must not stop work. At 1 MiB the owner renames the file to handoff.log.1, which replaces an older file,
// and begins a new file.
package journal

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// New returns a logger to the journal of the workspace in dir. The logger does not wait for the disk, is safe for
// concurrent use, and creates the file with the first line. The caller must hold the lock of the workspace until
// closeLog returns. CloseLog writes the queued lines, for at most 100 ms, and closes the file: later lines are lost. It
// may be called twice.
func New(dir string) (log *slog.Logger, closeLog func() error) {
	f := &rotatingFile{path: Path(dir)}
	queue := NewDroppingWriter(f)
	log = slog.New(slog.NewTextHandler(queue, nil)).With(slog.Int("pid", os.Getpid()))
	return log, func() error {
		_ = queue.Close() // it never fails
		return f.close()
	}
}

// Path returns the path of the journal's current file in dir.
func Path(dir string) string { return filepath.Join(dir, "handoff.log") }

// rotatedPath returns the path that the full file at path gets.
func rotatedPath(path string) string { return path + ".1" }

const maxFileSize = 1 << 20 // bytes

// A rotatingFile is a log file. If the file is full, Write renames the file and begins a new one.
type rotatingFile struct {
	path string

	mu     sync.Mutex // guards the fields below: Close does not wait long for the last Write
	out    *os.File   // nil before the first line
	size   int64
	closed bool // Write drops all lines
}

// Write appends a line if it can. It never returns an error, because a [DroppingWriter] stops after an error.
func (f *rotatingFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.openOrRotate() == nil {
		n, _ := f.out.Write(line) // a full disk may have space for the next line
		f.size += int64(n)
	}
	return len(line), nil
}

// openOrRotate opens the file unless it is open. It renames a full file and opens a new one. If it cannot rename the
// file, it empties the file.
func (f *rotatingFile) openOrRotate() error {
	if f.out == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.size < maxFileSize {
		return nil
	}
	_ = f.out.Close() // nothing more is written to it
	f.out = nil
	if os.Rename(f.path, rotatedPath(f.path)) != nil {
		_ = os.Truncate(f.path, 0) // the file must not grow for ever
	}
	return f.open()
}

func (f *rotatingFile) open() error {
	out, err := openFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err == nil {
		f.out, f.size = out.File, out.info.Size()
	}
	return err
}

// close closes the file, because another process may write to the file from now on. It may be called twice.
func (f *rotatingFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.out == nil {
		return nil
	}
	err := f.out.Close()
	f.out = nil
	return err
}
