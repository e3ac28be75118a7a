package relay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/tools/platform"
)

// storeLock is the file lock of a workspace, whose holder owns the store. An owner holds it from before it opens the
// store until after it closes the store. The kernel releases the lock when the process ends, in any way. A storeLock
// must stay reachable, because the garbage collector closes an unreachable file, which releases the lock.
type storeLock struct {
	file *os.File
	at   fileIdentity // the file at its path when it was locked
}

// ErrInUse means that a process has the workspace open.
var ErrInUse = platform.ErrLocked

// LockWorkspace keeps all processes from opening the store of a workspace until release is called, so that the caller
// can work on the files. It does not wait. The error is [ErrInUse] if a process has the store open, or if a process
// that stays uses the workspace. Release may be called twice.
//
// LockWorkspace does not notice a process that does not stay and has made no call. While the lock is held, calls of all
// processes wait for five seconds and then fail.
func LockWorkspace(dir string) (release func() error, err error) {
	l, err := tryLock(lockPath(dir))
	if err != nil {
		return nil, err
	}
	if err := checkUnused(dir); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l.release, nil
}

func lockPath(dir string) string { return filepath.Join(dir, "handoff.lock") }

// errRemoved means that the file of the lock was removed while a process waited for it. The next try makes a new file.
var errRemoved = errors.New("the workspace was removed")

// openLock opens the file of the lock, and makes it if it is missing. The file is empty and readable by this user only.
// No process removes it, but a person may remove the whole workspace.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the directory was removed since
		if err = prepareDir(filepath.Dir(path)); err == nil {
			f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	return f, nil
}

// tryLock takes the lock if it is free. The error is ErrInUse if this process or another holds it.
func tryLock(path string) (*storeLock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	return takeLock(f, path, platform.TryLock)
}

// takeLock locks a file that was opened under path. It closes the file if that fails. With [platform.Lock] it sleeps in
// the kernel and cannot be cancelled, so a caller that no longer wants the lock releases it afterwards.
//
// The error wraps ErrInUse if another process holds the lock and take did not wait. It is errRemoved if another file is
// now at path, because no other process would lock the old file.
func takeLock(f *os.File, path string, take func(*os.File) error) (*storeLock, error) {
	if err := take(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	locked, err := f.Stat()
	l := &storeLock{f, fileIdentity{path, locked}}
	if err == nil && l.at.isInPlace() { // others will lock the same
		return l, nil
	}
	return nil, errors.Join(cmp.Or(err, errRemoved), l.release())
}

// release releases the lock. It may be called twice.
func (l *storeLock) release() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return unlockAndClose(f)
}

// unlockAndClose releases the lock on a file and closes the file. Closing alone is not enough: a child that is just
// being started has the same open file until it runs its program.
func unlockAndClose(f *os.File) error { return errors.Join(platform.Unlock(f), f.Close()) }

// presenceMark tells other processes that a process that stays uses the workspace. The mark is a shared lock on the
// file handoff.here. The kernel releases it when the process ends, in any way. So a new owner knows whether there are
// other processes before they announce their connections.
//
// The file is empty and is not removed. A process that does not stay opens the file and sets no mark.
type presenceMark struct {
	path string
	file *os.File
}

// openPresence opens the file. It does not set the mark.
func openPresence(dir string) (*presenceMark, error) {
	p := &presenceMark{path: filepath.Join(dir, "handoff.here")}
	return p, p.openFile()
}

func (p *presenceMark) openFile() (err error) {
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); IsReadOnly(err) {
		if file, failed := os.Open(p.path); failed == nil { // to lock a file needs no right to write
			p.file, err = file, nil
		}
	}
	return err
}

// setMark marks that this process is there.
func (p *presenceMark) setMark() error { return platform.LockShared(p.file) }

// reopenIfRemoved opens the file of the mark again if it was removed, because other processes use the new file.
func (p *presenceMark) reopenIfRemoved() error {
	if mine, err := p.file.Stat(); err == nil && (fileIdentity{p.path, mine}).isInPlace() {
		return nil
	}
	return errors.Join(p.file.Close(), p.openFile())
}

// isAlone reports whether no other process has set a mark. It removes the mark of this process, so the caller holds the
// lock of the workspace: then no other process looks for marks.
func (p *presenceMark) isAlone() (bool, error) {
	if err := platform.Unlock(p.file); err != nil {
		return false, err
	}
	err := platform.TryLock(p.file)
	if errors.Is(err, ErrInUse) {
		return false, nil
	}
	return err == nil, errors.Join(err, platform.Unlock(p.file))
}

// checkUnused returns ErrInUse if a process that stays uses the workspace. It is called with the lock held.
func checkUnused(dir string) error {
	mark, err := openPresence(dir)
	if err != nil {
		return err
	}
	alone, err := mark.isAlone()
	if err == nil && !alone {
		err = ErrInUse
	}
	return errors.Join(err, mark.file.Close())
}
