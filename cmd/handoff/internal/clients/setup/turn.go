package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/clients/setup/lock"
)

// turn is how long another setup is waited for, whose client's command may be slow.
const turn = patience + 5*time.Second

// A Busy setup is another one that is under way, and did not end in time.
type Busy struct{ Lock string }

func (b *Busy) Error() string { return "another setup is under way, and has " + b.Lock }

// inTurn does something while no other setup does: else the receipt of one could be about the text of another. The
// error is a [*Busy] when another setup does not end in time.
func (s Setter) inTurn(ctx context.Context, do func() error) (err error) {
	waiting, end := context.WithTimeout(ctx, turn)
	defer end()
	release, err := lock.Take(waiting, filepath.Join(s.Dir, "lock"))
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("it was interrupted: %w", err)
	case errors.Is(err, lock.ErrHeld):
		return &Busy{filepath.Join(s.Dir, "lock")}
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return do()
}
