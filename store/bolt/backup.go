package bolt

import (
	"cmp"
	"context"
	"fmt"
	"io"
)

// Backup writes a copy of the whole store as it is now, while others go on
// reading and writing. The copy is a file that [Open] accepts. It ends with
// the error of ctx when ctx is done; what was written then is of no use.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	tx, err := s.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	to := &stopping{ctx: ctx, to: w}
	if _, err := tx.WriteTo(to); err != nil {
		return fmt.Errorf("back up: %w", cmp.Or(to.err, err)) // bbolt makes text of errors
	}
	return nil
}

// stopping is a writer that fails once its context is done.
type stopping struct {
	ctx context.Context
	to  io.Writer
	err error // the first
}

func (w *stopping) Write(p []byte) (n int, err error) {
	if w.err = cmp.Or(w.err, w.ctx.Err()); w.err == nil {
		n, w.err = w.to.Write(p)
	}
	return n, w.err
}
