package bolt

import (
	"context"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// openReadOnly opens a file that must not change. The file must contain a store. The store may lack the buckets of
// newer spaces.
func openReadOnly(c Config) (*bbolt.DB, error) {
	found, err := inspectFile(c.Path)
	switch {
	case err != nil:
		return nil, err
	case found.size == 0:
		return nil, fmt.Errorf("%w: it is not there, or empty", store.ErrForeign)
	case found.fresh:
		return nil, fmt.Errorf("%w: nothing was ever written to it", store.ErrForeign)
	}
	return openBbolt(c.Path, bbolt.Options{ReadOnly: true})
}

// WriteTo writes the store, as it was after the last commit, in the form of its file. Other calls continue, and the
// file grows by their changes. The end of ctx ends WriteTo.
func (s *Store) WriteTo(ctx context.Context, w io.Writer) error {
	return s.readTx(func(tx *bbolt.Tx) (err error) {
		defer recoverAsDamage(&err)
		_, err = tx.WriteTo(cancellableWriter{ctx, w})
		return toStoreError(err)
	})
}

// FreeBytes returns the number of unused bytes in the file. New rows use them again, and [Compact] removes them.
func (s *Store) FreeBytes() (free int64) {
	_ = s.readTx(func(tx *bbolt.Tx) error { // without an open file the result is zero
		stats := tx.DB().Stats()
		free = int64(stats.FreePageN+stats.PendingPageN) * int64(tx.DB().Info().PageSize)
		return nil
	})
	return free
}

// cancellableWriter writes until ctx is done.
type cancellableWriter struct {
	ctx context.Context
	io.Writer
}

func (w cancellableWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
