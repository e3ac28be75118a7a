// Package lock has processes take turns. A process holds a lock until it lets go or ends, however it ends: the system
// takes the lock back then. Processes that do not ask for the lock are not kept from anything.
package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"handoff/tools/relay/platform"
)

// ErrHeld says that somebody else has a lock now.
var ErrHeld = errors.New("somebody else is at it")

// again is how long a lock is left alone that somebody else has.
const again = 20 * time.Millisecond

// Take waits until it is its turn, as long as ctx does, and gives the function that lets go. It makes the directory
// of the file. The file is there as long as a process holds the lock or waits for it, on Windows also later. Where
// the file system knows no locks there are no turns.
func Take(ctx context.Context, path string) (release func() error, err error) {
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		f, err := try(path)
		switch {
		case err == nil:
			return func() error { return letGo(f) }, nil
		case !errors.Is(err, ErrHeld):
			return nil, fmt.Errorf("take turns: %w", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (%w)", err, ctx.Err())
		}
	}
}

// try takes a lock if nobody has it.
func try(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err = platform.TryLock(f); {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK): // a network without a daemon for locks
		return f, nil
	case errors.Is(err, platform.ErrLocked), err == nil && !isAt(f, path): // its holder removed it while this was taken
		return nil, errors.Join(ErrHeld, f.Close())
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isAt tells whether the locked file is the one that others find.
func isAt(f *os.File, path string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(path)
	return err == nil && os.SameFile(locked, found)
}

// letGo removes the file while it is still locked, so that nobody else gets one that was removed and takes it for
// theirs. Windows keeps a file that is open; there it stays.
func letGo(f *os.File) error {
	err := os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "windows" {
		err = nil
	}
	return errors.Join(err, platform.Unlock(f), f.Close())
}
