// Package journal keeps the log of the owners of a workspace: handoff.log in its directory. An owner logs what it does
// for its own client on stderr. What it does for other processes nobody would see there, so it is in this log.
//
// Only the process that holds the lock of the workspace writes, so there is one writer, and each owner goes on in the
// file of the one before. A log must not stop work: lines that the disk does not take in time are lost without an
// error. At 1 MiB the file is renamed to handoff.log.1, which replaces the one of that name, and a new file is begun.
package journal

import (
	"log/slog"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/process"
)

// Journal writes the log. It is safe for use by many goroutines. Use [New].
type Journal struct {
	logger *slog.Logger
	queue  *process.Dropping
	file   *file
}

// New returns the journal of the workspace whose files are in dir. It makes no file before the first line. The caller
// holds the lock of the workspace until Close.
func New(dir string) *Journal {
	f := &file{path: Path(dir)}
	queue := process.NewDropping(f)
	logger := slog.New(slog.NewTextHandler(queue, nil)).With(slog.Int("pid", os.Getpid()))
	return &Journal{logger, queue, f}
}

// Logger returns a logger to the journal. It does not wait for the disk.
func (j *Journal) Logger() *slog.Logger { return j.logger }

// Close writes the lines in the queue, for at most 100 ms, and closes the file. Later lines are lost. It may be called
// twice.
func (j *Journal) Close() error {
	_ = j.queue.Close() // it never fails
	return j.file.close()
}

// Path returns the path of the file with the newest lines of the journal in dir.
func Path(dir string) string { return filepath.Join(dir, "handoff.log") }

// earlier is the path of the file before the one at path.
func earlier(path string) string { return path + ".1" }
