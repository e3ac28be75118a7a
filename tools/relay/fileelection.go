package relay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"

	"handoff/schemas"
	"handoff/tools/platform"
)

// fileElection is the election among the processes of one machine. The process that holds the lock on handoff.lock owns
// the store. The kernel frees the lock when its process ends, and never because of a timeout.
type fileElection struct {
	config   Config
	presence *presenceMark // nil until the directory is prepared
}

var _ Election = (*fileElection)(nil)

// Prepare makes the directory and, if this process stays, sets a mark that this process uses the workspace. It does
// nothing if both were done before. Open and each search call it, one at a time.
func (e *fileElection) Prepare() error {
	if e.presence != nil {
		return nil
	}
	if err := prepareDir(e.config.Dir); err != nil {
		return e.UnusableError(err)
	}
	mark, err := openPresence(e.config.Dir)
	if err != nil {
		return e.UnusableError(err)
	}
	if e.config.Stays {
		if err := mark.setMark(); err != nil {
			return e.UnusableError(errors.Join(err, mark.file.Close()))
		}
	}
	e.presence = mark
	return nil
}

// LastOwner reads the note. The note in a copied directory does not count, because it names the owner of the original.
func (e *fileElection) LastOwner(context.Context) (Note, bool) {
	n, ok := ReadNote(e.config.Dir)
	return n, ok && (n.Lock == "" || n.Lock == e.lockID())
}

func (e *fileElection) lockID() string { return platform.FileID(lockPath(e.config.Dir)) }

// TryToWin takes the lock if it is free. A command that may only read the files gets a tenure without a lock. The error
// is errRemoved if the file of the lock was removed meanwhile.
func (e *fileElection) TryToWin(context.Context) (Tenure, error) {
	won, err := e.newTenure(tryLock(lockPath(e.config.Dir)))
	if IsReadOnly(err) && !e.config.Stays {
		return readOnlyTenure{}, nil
	}
	return won, err
}

// joinQueue puts this process into the queue for the store. It opens the file of the lock. The returned function takes
// the lock as soon as it is free, and cannot be cancelled. JoinQueue makes no files, because the workspace may have
// been closed and removed long before.
func (e *fileElection) joinQueue() (wait func() (Tenure, error), err error) {
	path := lockPath(e.config.Dir)
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	return func() (Tenure, error) { return e.newTenure(takeLock(f, path, platform.Lock)) }, nil
}

func (e *fileElection) newTenure(l *storeLock, err error) (Tenure, error) {
	if err != nil {
		return nil, err
	}
	return &lockTenure{fileElection: e, lock: l, unused: map[net.Conn]bool{}}, nil
}

// isAlone reports whether no other process that stays uses the workspace. It is called with the lock held. It removes
// the mark of this process for a moment to see the marks of other processes. Only the holder of the lock looks for
// marks, so no other process notices this.
func (e *fileElection) isAlone() (bool, error) {
	if err := e.presence.reopenIfRemoved(); err != nil {
		return false, err
	}
	alone, err := e.presence.isAlone()
	if err == nil && e.config.Stays {
		err = e.presence.setMark()
	}
	return alone, err
}

// Close removes the mark of this process. It is called before the lock is released, because the next holder of the lock
// looks for marks. It may be called twice.
func (e *fileElection) Close() error {
	mark := e.presence
	if e.presence = nil; mark == nil {
		return nil
	}
	return unlockAndClose(mark.file) // this removes the mark
}

func (e *fileElection) UnservedError() *schemas.Error { return unservedError(e.config) }

func (e *fileElection) UnusableError(err error) *schemas.Error {
	return UnusableError(e.config.Name, e.config.Dir, err)
}

// StalledError returns an error that names the process to look at.
func (e *fileElection) StalledError(owner Note) *schemas.Error {
	c := e.config
	n, ok := ReadNote(c.Dir)
	if ok && !n.IsRunning() { // another program listens there
		return unservedError(c)
	}
	const said = "the handoff process that has workspace %s open%s does not answer"
	const look = "It may be stopped, or out of memory or of file descriptors. %s Nothing acknowledged is lost; " +
		"a call that it had begun may still take effect, so look before you repeat it."
	if !ok || n.PID != owner.PID || n.PID == os.Getpid() || n.IsInOtherContainer() { // the number of a process in another container
		return schemas.Errorf(schemas.Unavailable, said, c.Name, "").
			WithHint(look, "It may run in another container, so look for it where it was started.")
	}
	way := "Look at that process."
	if n.Process != 0 && runtime.GOOS != "windows" { // then the number belongs to it
		way = fmt.Sprintf("Look at it: ps -o pid,stat,args -p %d. If its state is T, kill -CONT %d lets it go on.", owner.PID, owner.PID)
	}
	return schemas.Errorf(schemas.Unavailable, said, c.Name, fmt.Sprintf(" (pid %d)", owner.PID)).WithHint(look, way)
}
