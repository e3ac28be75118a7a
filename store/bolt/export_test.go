package bolt

import "context"

// Checkpoint writes the list of free pages now, as the writer does after a time without calls.
func (s *Store) Checkpoint(ctx context.Context) error { return s.queue.Submit(ctx, newCheckpoint()) }
