package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"handoff/cmd/handoff/internal/setup/lock"
)

// turn is how long another setup is waited for, whose client's command may be slow.
const turn = patience + 5*time.Second

// inTurn does something that no other setup does meanwhile: the receipt of a file is right only for who wrote the file.
func (s Setter) inTurn(ctx context.Context, do func() error) (err error) {
	waiting, end := context.WithTimeout(ctx, turn)
	defer end()
	release, err := lock.Take(waiting, filepath.Join(s.Dir, "lock"))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return fmt.Errorf("another setup is under way: %w", err)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	return do()
}
