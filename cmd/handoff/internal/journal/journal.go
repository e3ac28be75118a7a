// Package journal keeps the log of the owners of a workspace: handoff.log in its directory. An owner logs its work
// for its own client on stderr. People would not find its work for other processes there, so the owner logs that here.
//
// Only the process that holds the lock of the workspace writes, so there is one writer. Each owner appends to the file
// of the owner before. A log must not stop work: lines that the disk does not take in time are lost without an error.
// At 1 MiB the owner renames the file to handoff.log.1, which replaces an older file, and begins a new file.
package journal

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// New returns a logger to the journal of the workspace in dir. The logger does not wait for the disk, and is safe for
// use by many goroutines. It makes no file before the first line. The caller holds the lock of the workspace until it
// has called closeLog, which writes the lines in the queue, for at most 100 ms, and closes the file. Later lines are
// lost. CloseLog may be called twice.
func New(dir string) (log *slog.Logger, closeLog func() error) {
	f := &rotatingFile{path: Path(dir)}
	queue := NewDroppingWriter(f)
	log = slog.New(slog.NewTextHandler(queue, nil)).With(slog.Int("pid", os.Getpid()))
	return log, func() error {
		_ = queue.Close() // it never fails
		return f.close()
	}
}

// Path returns the path of the file with the newest lines of the journal in dir.
func Path(dir string) string { return filepath.Join(dir, "handoff.log") }

// rotatedPath returns the path that the full file at path gets.
func rotatedPath(path string) string { return path + ".1" }

const maxFileSize = 1 << 20 // bytes

// A rotatingFile is a log file for whole lines. When it is full, Write renames it and begins a new file.
type rotatingFile struct {
	path string

	mu     sync.Mutex // guards the fields below: Close does not wait long for the last Write
	out    *os.File   // nil before the first line
	size   int64
	closed bool // Write drops all lines
}

// Write adds a line if it can. It returns no error, because after one the next line would be lost too.
func (f *rotatingFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.openOrRotate() == nil {
		n, _ := f.out.Write(line) // a full disk may have space for the next line
		f.size += int64(n)
	}
	return len(line), nil
}

// openOrRotate opens the file if it is not open. When the file is full, it renames it and opens a new file; if it
// cannot rename the file, it empties it.
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

// close closes the file: another process may write to it from now on. It may be called twice.
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
