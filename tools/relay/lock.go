package relay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/tools/relay/platform"
)

// lock is the file lock of a workspace: whoever has it owns the store. The kernel takes it back when the
// process ends, however it ends. A lock must stay reachable: the collector closes a file that nobody can
// reach any more, and with the file goes the lock.
type lock struct{ file *os.File }

// ErrInUse tells that a process has the workspace open.
var ErrInUse = errors.New("another process has it open")

// Lock keeps everybody from opening the store of a workspace until release, for what must be done to its files
// from outside. It does not wait, and gives ErrInUse also for a process that stays and has not called yet.
func Lock(dir string) (release func() error, err error) {
	l, err := tryLock(lockPath(dir))
	if err != nil {
		return nil, err
	}
	if err := nobodyIn(dir); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l.release, nil
}

func lockPath(dir string) string { return filepath.Join(dir, "handoff.lock") }

// errRemoved tells that the lock was removed while it was waited for. Whoever still wants one asks again.
var errRemoved = errors.New("the workspace was removed")

// tryLock takes the lock if nobody has it, and gives ErrInUse if somebody does, in this process or another.
func tryLock(path string) (*lock, error) { return takeLock(path, takeNow) }

// waitLock takes the lock as soon as it is free. It sleeps in the kernel, on a thread of its own, and cannot
// be cancelled: who does not want the lock any more releases it on return.
func waitLock(path string) (*lock, error) { return takeLock(path, platform.Lock) }

func takeNow(f *os.File) error {
	err := platform.TryLock(f)
	if errors.Is(err, platform.ErrLocked) {
		return ErrInUse
	}
	return err
}

// takeLock makes the file when it is not there. Nobody who uses the lock removes it, but the whole workspace
// may be removed while others wait: what they then get is the lock of a file that nobody else will find.
func takeLock(path string, take func(*os.File) error) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the directory was removed since
		if err = prepare(filepath.Dir(path)); err == nil {
			f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := take(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	l := &lock{f}
	ours, err := l.isOf(path)
	if ours {
		return l, nil
	}
	return nil, errors.Join(cmp.Or(err, errRemoved), l.release())
}

// isOf reports whether the locked file is the one that others find under path.
func (l *lock) isOf(path string) (bool, error) {
	locked, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	found, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, found), err
}

// release lets go of the lock. It may be called twice.
func (l *lock) release() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	// Closing is not enough: a program that is just being started has the same open file until it runs.
	return errors.Join(platform.Unlock(f), f.Close())
}
