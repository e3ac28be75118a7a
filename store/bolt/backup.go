package bolt

import (
	"cmp"
	"context"
	"fmt"
	"io"
)

// Backup writes a copy of the whole store as it is now into w. Reads and writes go on meanwhile; the file grows by what
// is written until the backup ends. The copy is a file that [Open] accepts. When Backup returns an error, such as that
// of ctx, the bytes written so far are of no use.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	tx, err := s.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	to := &ctxWriter{ctx: ctx, to: w}
	if _, err := tx.WriteTo(to); err != nil {
		return fmt.Errorf("back up: %w", cmp.Or(to.err, err)) // bbolt makes text of errors
	}
	return nil
}

// ctxWriter is a writer that fails once its context is done.
type ctxWriter struct {
	ctx context.Context
	to  io.Writer
	err error // the first one
}

func (w *ctxWriter) Write(p []byte) (n int, err error) {
	if w.err = cmp.Or(w.err, w.ctx.Err()); w.err == nil {
		n, w.err = w.to.Write(p)
	}
	return n, w.err
}
