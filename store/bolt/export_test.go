package bolt

import (
	"context"

	"handoff/store"
	"handoff/store/calls"
)

// Checkpoint writes the list of free pages now, as the writer does after a time without calls.
func (s *Store) Checkpoint(ctx context.Context) error {
	c := calls.New(func(store.Writer) error { return nil })
	c.Sync = true
	return s.queue.Submit(ctx, c)
}
