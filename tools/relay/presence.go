package relay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"handoff/tools/relay/platform"
)

// presence is the mark of a process that stays: a lock on handoff.here that all such processes share. The kernel takes
// it back when the process ends, however it ends. So a new owner knows whether other processes are there before they
// announce themselves.
//
// The file is empty and stays. A process that does not stay opens it and sets no mark.
type presence struct {
	path string
	file *os.File
}

// openPresence opens the file. It does not set the mark.
func openPresence(dir string) (*presence, error) {
	p := &presence{path: filepath.Join(dir, "handoff.here")}
	return p, p.open()
}

func (p *presence) open() (err error) {
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("open the mark of presence: %w", err)
	}
	return nil
}

// set shows that this process is there.
func (p *presence) set() error { return platform.LockShared(p.file) }

// reopen opens the file anew when it was removed: other processes look at the one that is there now.
func (p *presence) reopen() error {
	if mine, err := p.file.Stat(); err == nil && (file{p.path, mine}).inPlace() {
		return nil
	}
	return errors.Join(p.file.Close(), p.open())
}

// alone reports whether no other process is there. It takes the mark of this process away, so it is called only with
// the lock of the workspace held: nobody else looks for marks then.
func (p *presence) alone() (bool, error) {
	if err := platform.Unlock(p.file); err != nil {
		return false, err
	}
	err := platform.TryLock(p.file)
	if errors.Is(err, ErrInUse) {
		return false, nil
	}
	return err == nil, errors.Join(err, platform.Unlock(p.file))
}

// close takes the mark away.
func (p *presence) close() error { return p.file.Close() }

// checkUnused returns ErrInUse when a process that stays uses the workspace. It is called with the lock held.
func checkUnused(dir string) error {
	mark, err := openPresence(dir)
	if err != nil {
		return err
	}
	alone, err := mark.alone()
	if err == nil && !alone {
		err = ErrInUse
	}
	return errors.Join(err, mark.close())
}
