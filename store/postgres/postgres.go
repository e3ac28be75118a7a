// Package postgres is a [store.Backend] that keeps the rows of a workspace in a PostgreSQL database. One owner at a time
// writes a workspace; many workspaces share a database.
//
// A commit is one new entry of the workspace's log, in one statement. Entries have numbers, given once: whoever opens
// the workspace takes the next number and a new epoch, and an owner before that cannot commit any more, wherever it was
// held up. In the background entries are folded into the table of rows, each key once.
//
// Nobody else writes, so the owner keeps what it read. It knows all that changed since the last fold, and asks the table
// for the rest. Of what it read it keeps what is read most, up to a bound.
//
// A commit is one row because the database pays for rows, and a step of a handoff changes some twenty. It is also one
// statement: no transaction is left open to a client that may be stopped. A takeover and a fold have several
// statements; whoever finds their rows locked ends the connections of nodes that are overdue.
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

// Config says which workspace of which database to open.
type Config struct {
	// Ownership of the workspace, which this process has taken over.
	Ownership *Ownership

	// CacheBytes is about how much memory rows take that the database has, too. Zero means 64 MiB. What was committed
	// and is not folded comes on top.
	CacheBytes int

	// Fenced is called when the store learns that another node took the workspace over, before any call is told. It does
	// not call the store. Nil: nobody is told.
	Fenced func()

	// Logger hears of panics and of trouble with the database. Nil: nobody does.
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
	endErr    error // why nothing can be read or written any more
}

var _ store.Backend = (*Store)(nil)

const cacheBytes = 64 << 20 // see [Config]

// Open opens a workspace of which this process is the owner: the one before is refused with [store.ErrFenced]. It reads
// the entries that were not folded, and no rows.
func Open(ctx context.Context, c Config) (*Store, error) {
	own := c.Ownership
	s := &Store{
		log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler)), queue: calls.NewQueue(), fenced: c.Fenced,
		cache: newCache(cmp.Or(c.CacheBytes, cacheBytes)), views: map[int64]int{},
		table: &table{in: own.node.Pool, node: own.node, workspace: own.workspace, epoch: own.epoch},
	}
	entries, err := unfolded(ctx, own.node.Pool, own.workspace)
	if err != nil {
		return nil, err
	}
	s.folder.store = s
	for _, e := range entries {
		s.publish(e.number, e.writes)
	}
	s.writer = writer{store: s, stopped: make(chan struct{})}
	s.writer.run()
	return s, nil
}

// View implements [store.Backend].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave(at)
	return fn(&rows{Store: s, ctx: context.WithoutCancel(ctx), number: at})
}

// enter begins a view at the last commit, which the table does not get ahead of until the view has left.
func (s *Store) enter() (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endErr != nil {
		return 0, s.endErr
	}
	s.views[s.committed]++
	return s.committed, nil
}

func (s *Store) leave(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views[at]--; s.views[at] == 0 {
		delete(s.views, at)
	}
}

// publish makes a commit visible.
func (s *Store) publish(number int64, writes []write) {
	for _, w := range writes {
		s.cache.put(w.space, w.Key, w.Value, number)
	}
	s.folder.add(number, writes)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed = number
}

// foldable is the last entry that no view stands before.
func (s *Store) foldable() int64 {
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
	err := s.queue.Submit(ctx, calls.New(fn))
	if p, ok := errors.AsType[*store.Panic](err); ok {
		s.log.ErrorContext(ctx, "a function given to the store panicked", slog.Any("value", p.Value), slog.String("stack", string(p.Stack)))
	}
	return err
}

// Close finishes the calls in the queue and folds the log. It may be called twice, and returns the same error again.
func (s *Store) Close() error {
	s.queue.Close()
	<-s.writer.stopped
	return s.writer.closed
}

// end ends the store: nothing can be read or written any more.
func (s *Store) end(why error) {
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

// statementTimeout is how long one statement may take.
const statementTimeout = 5 * time.Second
