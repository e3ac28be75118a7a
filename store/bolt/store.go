// Package bolt keeps rows in one bbolt file, which one process holds at a time.
//
// Every space is a bucket named after it. One goroutine writes: callers of
// Update line up, the writer gathers those who wait into one transaction and
// answers them when it is on disk, so that many callers share one sync. Each
// call runs on an overlay of its own, which is flushed into the transaction
// when the call succeeds and dropped when it fails, so that calls in one
// transaction cannot hurt each other. Views read the mapped file and wait for
// nobody.
//
// The list of free pages is written with a commit only while it is short, else when the writer
// has been idle for a moment, on Checkpoint and on Close. A file left by a
// process that was killed before is read through once when it is opened.
//
// The bucket "sys" holds the key "format": what tells our file from others, and
// old layouts from new ones. A file that is not ours, or newer than this
// program, is refused before a byte of it is changed.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// Config says which file to open and how.
type Config struct {
	// Path is the file. It is made, with its directory, if it is not there;
	// both only for this user (0600 and 0700).
	Path string

	// Logger hears of panics and of what the store did to recover. Nil is silence.
	Logger *slog.Logger

	// GroupWait is how long the writer waits at most for as many callers as
	// shared the last commit. It does not wait after a caller who was alone.
	// Zero means 200 µs, negative not at all.
	GroupWait time.Duration

	// Idle is how long nothing must be written until the list of free pages
	// is. Zero means 250 ms.
	Idle time.Duration
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.GroupWait == 0 {
		c.GroupWait = 200 * time.Microsecond
	}
	if c.Idle <= 0 {
		c.Idle = 250 * time.Millisecond
	}
	return c
}

// Store is a [store.Backend] in a file. Use [Open].
type Store struct {
	config Config
	queue  *queue
	writer writer

	mu   sync.RWMutex // guards the fields below; held for writing only while the file is opened again
	db   *bbolt.DB    // nil when there is no file to read
	gone error        // why db is nil
}

var _ store.Backend = (*Store)(nil)

// Open opens the store at c.Path, or makes an empty one. Its errors are
// [store.ErrLocked], [store.ErrNewer], [store.ErrForeign], [store.ErrCorrupt],
// [store.ErrReadOnly] and [store.ErrFull]; the file is as it was after any of
// the first four. Ctx ends a long recovery; it does not end the store.
func Open(ctx context.Context, c Config) (*Store, error) {
	c = c.withDefaults()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, synced, err := open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", c.Path, err)
	}
	s := &Store{config: c, queue: newQueue(), db: db}
	s.writer = writer{store: s, stopped: make(chan struct{}), unsynced: !synced}
	go s.writer.run()
	return s, nil
}

// View implements [store.Backend].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := s.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to roll back: this only ends the snapshot
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return fn(newRows(tx))
}

// Update implements [store.Backend]. Fn runs on the writer's goroutine. Beside
// the errors of the contract there is the one that opening the file again gave
// after a commit had failed: then nothing was kept.
func (s *Store) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := s.submit(ctx, newRequest(fn))
	if p, ok := errors.AsType[*store.Panic](err); ok {
		s.config.Logger.ErrorContext(ctx, "a function given to the store panicked",
			slog.Any("value", p.Value), slog.String("stack", string(p.Stack)))
	}
	return err
}

// Checkpoint writes the list of free pages, so that the file opens at once
// even if this process is killed next. It does nothing if that was done.
func (s *Store) Checkpoint(ctx context.Context) error {
	r := newRequest(func(store.Writer) error { return nil })
	r.checkpoint = true
	return s.submit(ctx, r)
}

// submit lines r up and waits for its outcome, or takes it out of the line if
// ctx is done before its turn.
func (s *Store) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.queue.add(r) {
		return store.ErrClosed
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.take() {
			return ctx.Err()
		}
		return <-r.done
	}
}

// Size is how many bytes of the file are in use or free to be used again; 0
// when the store is closed.
func (s *Store) Size() int64 {
	tx, err := s.begin(false)
	if err != nil {
		return 0
	}
	defer func() { _ = tx.Rollback() }()
	return tx.Size()
}

// Close finishes what is in line, writes the list of free pages and lets go of
// the file. Views under way end first.
func (s *Store) Close() error {
	s.queue.close()
	<-s.writer.stopped
	return s.writer.closed
}

// begin starts a transaction. The lock is held only so that the file is not
// exchanged meanwhile: bbolt itself waits on closing until transactions end.
func (s *Store) begin(writable bool) (*bbolt.Tx, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return nil, s.gone
	}
	tx, err := s.db.Begin(writable)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", classify(err))
	}
	return tx, nil
}
