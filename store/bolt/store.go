// Package bolt is a [store.Backend] that keeps rows in one bbolt file. One process at a time can open the file.
//
// Every space is a bucket of the same name. One goroutine, the writer, writes the file. It puts all waiting calls of
// Update into one transaction and answers them when the transaction is on disk, so many calls share one sync. Each call
// runs on its own overlay, so a call that fails cannot harm other calls in the transaction. Views read the mapped file
// and never wait for the writer.
//
// bbolt keeps a list of the free pages of the file. The writer writes a short list with each commit. A long list would
// make each commit slower, so the writer writes it only when it is idle and at Close. If the process is
// killed before that, the next process reads the whole file once when it opens the file.
//
// The key "format" in the bucket "sys" says that the file is a store of handoff, and gives the version of its layout.
// Open refuses the file of another program, and a file of a newer layout, without changing it.
//
// bbolt cannot make its file smaller while the file is in use. So the next owner compacts the file before it serves
// calls.
package bolt

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/calls"
)

// Config selects the file to open, and its options.
type Config struct {
	// Path is the file. If it does not exist, Open makes the file and its directory, with the modes 0600 and 0700.
	Path string

	// ReadOnly opens an existing file without writing to it. Update then returns [store.ErrReadOnly]. Other processes
	// may read the file at the same time.
	ReadOnly bool

	// Logger logs panics, and recoveries from a failed commit. Nil discards them.
	Logger *slog.Logger

	// Idle is the time after the last commit at which the writer writes the list of free pages. Zero means 250 ms.
	Idle time.Duration
}

func (c Config) withDefaults() Config {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Idle = cmp.Or(c.Idle, 250*time.Millisecond)
	return c
}

// Store is a [store.Backend] in a file. Use [Open].
type Store struct {
	config Config
	queue  *calls.Queue // nil if it is only read
	writer writer

	mu    sync.RWMutex // guards the fields below; held for writing only while the file is opened again
	db    *bbolt.DB    // nil when there is no file to read
	dbErr error        // why db is nil
}

var _ store.Backend = (*Store)(nil)

// Open opens the store at c.Path, or makes an empty store. Its errors wrap [store.ErrLocked], [store.ErrNewer],
// [store.ErrForeign], [store.ErrCorrupt], [store.ErrReadOnly] or [store.ErrFull]. After any of the first four the file
// is unchanged. Open returns ErrLocked after 50 ms, and the caller may try again.
//
// After a process was killed, opening a large file can take seconds, see the package comment. The end of ctx ends this
// wait, but does not close the store that Open returned.
func Open(ctx context.Context, c Config) (*Store, error) {
	c = c.withDefaults()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if c.ReadOnly {
		db, err := openReadOnly(c)
		if err != nil {
			return nil, fmt.Errorf("open store %s: %w", c.Path, err)
		}
		return &Store{config: c, db: db}, nil
	}
	db, synced, err := openFileToWrite(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", c.Path, err)
	}
	s := &Store{config: c, queue: calls.NewQueue(c.Logger), db: db}
	s.writer = writer{store: s, unsynced: !synced, commitTx: (*bbolt.Tx).Commit}
	s.queue.Run(&s.writer, c.Idle)
	return s, nil
}

// View implements [store.Backend]. If fn met a damaged page, View returns [store.ErrCorrupt] even if fn passed over it,
// because the result of fn is not complete.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.readTx(func(tx *bbolt.Tx) error {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		rows := newRows(tx)
		err := fn(rows)
		return cmp.Or(err, rows.damage)
	})
}

// readTx calls fn with one snapshot of the file.
func (s *Store) readTx(fn func(*bbolt.Tx) error) error {
	tx, err := s.beginTx(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to roll back: this only ends the snapshot
	return fn(tx)
}

// Update implements [store.Backend]. Fn runs on the writer's goroutine, and other calls wait for fn. After a failed
// commit the writer opens the file again, and Update returns the outcome of the commit. While the file cannot be
// opened, Update keeps nothing and returns the error of opening.
func (s *Store) Update(ctx context.Context, fn func(store.Writer) error) error {
	if s.config.ReadOnly {
		return store.ErrReadOnly
	}
	return s.queue.Update(ctx, fn)
}

// Close finishes the queued calls, writes the list of free pages and closes the file. It waits for running views. It
// may be called twice, and returns the same error again.
func (s *Store) Close() error {
	if s.config.ReadOnly {
		return s.closeFile()
	}
	return s.queue.Close()
}

// beginTx starts a bbolt transaction. It holds the lock only while it starts, because bbolt's Close waits for open
// transactions.
func (s *Store) beginTx(writable bool) (*bbolt.Tx, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil, s.dbErr
	}
	tx, err := s.db.Begin(writable)
	return tx, toStoreError(err)
}
