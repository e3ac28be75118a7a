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
// closeLog returns. CloseLog writes the queued lines, for at most 100 ms: later lines are lost. It may be called twice.
func New(dir string) (log *slog.Logger, closeLog func() error) {
	f := &rotatingFile{path: Path(dir)}
	queue := NewDroppingWriter(f)
	log = slog.New(slog.NewTextHandler(queue, nil)).With(slog.Int("pid", os.Getpid()))
	return log, func() error {
		defer f.close()
		return queue.Close()
	}
}

// Path returns the path of the journal's current file in dir.
func Path(dir string) string { return filepath.Join(dir, "handoff.log") }

// rotatedPath returns the path that the full file at path gets.
func rotatedPath(path string) string { return path + ".1" }

const maxFileSize = 1 << 20 // bytes

// A rotatingFile is a log file, which is open only during a Write, because Windows cannot rename an open file.
type rotatingFile struct {
	path string

	mu     sync.Mutex // guards closed: the queue may write to the file after Close has given up on it
	closed bool       // Write drops all lines
}

// Write appends a line if it can. It renames a full file and begins a new one, or empties the file if it cannot rename
// it. It never returns an error, because a [DroppingWriter] stops after an error.
func (f *rotatingFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return len(line), nil
	}
	if info, err := os.Stat(f.path); err == nil && info.Size() >= maxFileSize && os.Rename(f.path, rotatedPath(f.path)) != nil {
		_ = os.Truncate(f.path, 0) // the file must not grow for ever
	}
	if out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = out.Write(line) // a full disk may have space for the next line
		_ = out.Close()
	}
	return len(line), nil
}

// close ends the writing, because another process may write to the file from now on. It may be called twice.
func (f *rotatingFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}
