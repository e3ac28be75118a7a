package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"handoff/tools/relay/platform"
)

const (
	turn  = patience + 5*time.Second // how long another setup is waited for, whose client's command may be slow
	again = 20 * time.Millisecond    // after which a lock is tried again that another setup has
)

// A Busy setup is another one that is under way, and did not end in time.
type Busy struct{ Lock string }

func (b *Busy) Error() string { return "another setup is under way, and has " + b.Lock }

// inTurn does something while no other setup does: else the receipt of one could be about the text of another. The
// error is a [*Busy] when another setup does not end in time. The system takes the lock back when its holder ends,
// however it ends; the file of the lock stays. Where the file system knows no locks there are no turns.
func (s Setter) inTurn(ctx context.Context, do func() error) (err error) {
	name := filepath.Join(s.Dir, "lock")
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("take turns: %w", err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("take turns: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }() // which lets go
	waiting, end := context.WithTimeout(ctx, turn)
	defer end()
	for {
		err := platform.TryLock(f)
		switch {
		case err == nil, errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			return do()
		case !errors.Is(err, platform.ErrLocked):
			return fmt.Errorf("take turns: %w", err)
		}
		select {
		case <-time.After(again):
		case <-waiting.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("it was interrupted: %w", err)
			}
			return &Busy{name}
		}
	}
}
