// Package postgres is a [store.Backend] that keeps the rows of a workspace in a PostgreSQL database. One owner at a
// time writes a workspace; many workspaces share a database.
//
// A commit adds one entry to the log of the workspace, with one statement. Each entry has its own number. A process
// that takes the workspace over takes the next number and a new epoch. So an earlier owner can no longer commit, even
// if its commit was delayed. In the background the owner folds entries: it writes the last value of each changed key
// into the table of rows, and deletes the entries.
//
// Only the owner writes, so it may cache rows. Its cache has all changes since the last fold. The owner reads other
// rows from the table, and keeps the most used ones, up to CacheBytes of [Config].
//
// Each row that is written costs the database time, and a step of a handoff (such as a claim) changes about twenty rows
// of the store. So a commit writes only one row, in the log. It is one statement, so that a process that is stopped
// never leaves a transaction open. A takeover and a fold have several statements. If another transaction has locked
// their rows, they end the connections of nodes whose lease has run out.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"handoff/store"
	"handoff/store/calls"
)

// Config selects the workspace and its database.
type Config struct {
	// Ownership is the ownership of the workspace to open. This process took it over before.
	Ownership *Ownership

	// CacheBytes is roughly the memory for cached rows that are also in the table. Zero means 64 MiB. Committed rows
	// that are not yet folded need more memory.
	CacheBytes int

	// Fenced is called when the store learns that another node has become the owner, before any call returns the error.
	// It must not call the store. It may be nil.
	Fenced func()

	// Logger logs panics and trouble with the database. Nil discards them.
	Logger *slog.Logger
}

// Store is a [store.Backend] in a database. Use [Open].
type Store struct {
	log    *slog.Logger
	table  *table
	cache  *cache
	queue  *calls.Queue
	fenced func()
	writer writer
	folder folder

	mu        sync.Mutex // guards the fields below
	committed int64      // the last entry
	views     map[int64]int
	endErr    error // why rows can no longer be read or written
}

var _ store.Backend = (*Store)(nil)

const cacheBytes = 64 << 20 // see [Config]

// Open opens a workspace that this process has taken over. Later calls of the former owner return [store.ErrFenced].
// Open reads the entries of the log that are not folded, and no rows.
func Open(ctx context.Context, c Config) (*Store, error) {
	own := c.Ownership
	s := &Store{
		log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler)), fenced: c.Fenced,
		cache: newCache(cmp.Or(c.CacheBytes, cacheBytes)), views: map[int64]int{},
		table: &table{in: own.node.Pool, node: own.node, workspace: own.workspace, epoch: own.epoch},
	}
	s.folder.store = s
	if err := s.publishUnfolded(ctx); err != nil {
		return nil, err
	}
	s.writer, s.queue = writer{store: s}, calls.NewQueue(s.log)
	s.queue.Run(&s.writer, idle)
	return s, nil
}

// View implements [store.Backend].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at, err := s.beginView()
	if err != nil {
		return err
	}
	defer s.endView(at)
	return fn(&commitReader{Store: s, ctx: context.WithoutCancel(ctx), number: at})
}

// beginView begins a view at the last commit, and returns the number of that commit. Folds do not go beyond this commit
// until endView.
func (s *Store) beginView() (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endErr != nil {
		return 0, s.endErr
	}
	s.views[s.committed]++
	return s.committed, nil
}

func (s *Store) endView(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views[at]--; s.views[at] == 0 {
		delete(s.views, at)
	}
}

// publish makes a commit visible.
func (s *Store) publish(number int64, writes []rowWrite) {
	for _, w := range writes {
		s.cache.put(w.space, w.Key, w.Value, number)
	}
	s.folder.addChanges(number, writes)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed = number
}

// lastFoldable returns the last entry that all open views include.
func (s *Store) lastFoldable() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := s.committed
	for at := range s.views {
		oldest = min(oldest, at)
	}
	return oldest
}

// Update implements [store.Backend]. Fn runs on the writer's goroutine, and other calls wait for it.
func (s *Store) Update(ctx context.Context, fn func(store.Writer) error) error {
	return s.queue.Update(ctx, fn)
}

// Close finishes the queued calls and folds the log. It may be called twice, and returns the same error again.
func (s *Store) Close() error { return s.queue.Close() }

// stop ends the store: rows can no longer be read or written.
func (s *Store) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endErr != nil {
		return
	}
	s.endErr = why
	if s.fenced != nil && errors.Is(why, store.ErrFenced) {
		s.fenced()
	}
}

// statementTimeout is the limit for one statement.
const statementTimeout = 5 * time.Second
