// Package lock has processes take turns. Whoever holds a lock does so until it lets go or ends, however it ends: the
// system takes it back then. It says nothing to those who do not ask for it.
package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld says that somebody else has a lock now.
var ErrHeld = errors.New("somebody else is at it")

// again is how long a lock is left alone that somebody else has.
const again = 20 * time.Millisecond

// Take waits until it is its turn, as long as ctx does, and gives the function that lets go. The file is there as
// long as somebody holds it or waits for it, on Windows also later, and its directory is made. Where the file system knows no locks there are
// no turns.
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
	err = take(f)
	if errors.Is(err, errors.ErrUnsupported) {
		return f, nil
	}
	if err == nil && !isAt(f, path) { // who held it removed it while this was taken
		err = ErrHeld
	}
	if err != nil {
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

// letGo removes the file while it is still locked, so that nobody else gets one that was removed and takes it for theirs.
// Some systems keep a file that is open; then it stays.
func letGo(f *os.File) error {
	err := os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) || keepsOpen {
		err = nil
	}
	return errors.Join(err, unlock(f), f.Close())
}
