// Package journal keeps the log of whoever owns a workspace: handoff.log in its directory. What an owner does
// for itself it tells its client, on stderr; what it does for others nobody would see there.
//
// Only the process that holds the lock of the workspace writes, so there is one writer, and the log of one
// owner goes on where that of the one before ended. A log must not stop work: what the disk does not take in
// time is lost, and nobody is told. It is full at 1 MiB. Then it becomes handoff.log.1, in the place of what
// has that name, and a new one begins.
package journal

import (
	"log/slog"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/process"
)

// Journal is the writing end. Use [New].
type Journal struct {
	logger *slog.Logger
	queue  *process.Dropping
	file   *file
}

// New gives the journal of the workspace whose files are in dir. Nothing is made there before the first line.
func New(dir string) *Journal {
	f := &file{path: Path(dir)}
	queue := process.NewDropping(f)
	logger := slog.New(slog.NewTextHandler(queue, nil)).With(slog.Int("pid", os.Getpid()))
	return &Journal{logger, queue, f}
}

// Logger writes to the journal, without waiting for the disk.
func (j *Journal) Logger() *slog.Logger { return j.logger }

// Close writes what is queued. It may be called twice; lines that come later are lost.
func (j *Journal) Close() error {
	_ = j.queue.Close() // it has no error
	return j.file.close()
}

// Path is the file with the newest lines of the journal in dir.
func Path(dir string) string { return filepath.Join(dir, "handoff.log") }

// earlier is the log before the one at path.
func earlier(path string) string { return path + ".1" }
