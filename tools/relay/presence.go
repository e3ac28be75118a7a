package relay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"handoff/tools/relay/platform"
)

// presence is the mark of a process that stays: a lock that all of them share, which the kernel takes back when
// the process ends. So an owner knows whether there are others, before they announce themselves.
type presence struct {
	path string
	file *os.File
}

// enter opens the mark. It is not set yet.
func enter(dir string) (*presence, error) {
	p := &presence{path: filepath.Join(dir, "handoff.here")}
	return p, p.open()
}

func (p *presence) open() (err error) {
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("open the mark of presence: %w", err)
	}
	return nil
}

// set shows that the process is there.
func (p *presence) set() error { return platform.LockShared(p.file) }

// renew opens the mark anew if it was removed: others look at the one that is there now.
func (p *presence) renew() error {
	if mine, err := p.file.Stat(); err == nil && (file{p.path, mine}).there() {
		return nil
	}
	return errors.Join(p.file.Close(), p.open())
}

// alone tells whether no other process is there. The mark is gone meanwhile, so only the holder of the lock of
// the workspace may ask: nobody else then misses it.
func (p *presence) alone() (bool, error) {
	if err := platform.Unlock(p.file); err != nil {
		return false, err
	}
	err := takeNow(p.file)
	if errors.Is(err, ErrInUse) {
		return false, nil
	}
	return err == nil, errors.Join(err, platform.Unlock(p.file))
}

// leave takes the mark back.
func (p *presence) leave() error { return p.file.Close() }

// nobodyIn gives ErrInUse when a process that stays uses a workspace. It is called with the lock held.
func nobodyIn(dir string) error {
	mark, err := enter(dir)
	if err != nil {
		return err
	}
	alone, err := mark.alone()
	if err == nil && !alone {
		err = ErrInUse
	}
	return errors.Join(err, mark.leave())
}
