// Package memory is a [store.Backend] that keeps rows in memory, for tests and for trials. It keeps the whole contract,
// except that nothing outlives the process.
//
// The rows of each space are a tree whose nodes never change: a write makes new nodes on the path to its row and shares
// all others. A version is one root for every space. A View reads the version that was current when it began, and an
// Update replaces the version in one step, so neither waits for the other.
package memory

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"handoff/store"
)

// Store is a [store.Backend] in memory. Use [New].
type Store struct {
	mu      sync.Mutex // held by the one Update that runs
	current atomic.Pointer[version]
}

var _ store.Backend = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	s := &Store{}
	s.current.Store(&version{})
	return s
}

// View implements [store.Backend].
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v := s.current.Load()
	if v == nil {
		return store.ErrClosed
	}
	return fn(v)
}

// Update implements [store.Backend]. Fn runs once, on the caller's goroutine.
func (s *Store) Update(ctx context.Context, fn func(store.Writer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	v := s.current.Load()
	if v == nil {
		return store.ErrClosed
	}
	writes := store.NewOverlay(v)
	if err := writes.Run(fn); err != nil {
		return err
	}
	next := *v
	if err := writes.Flush(&next); err != nil {
		return err
	}
	s.current.Store(&next)
	return nil
}

// Close implements [store.Backend]. It waits for an Update under way, but not for views: they keep their version.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.Store(nil)
	return nil
}

// version is the root of every space at one moment. Only the version that an Update prepares is written to; a version
// that was published never changes.
type version [store.Spaces]*node

// Get implements [store.Reader].
func (v *version) Get(s store.Space, key []byte) ([]byte, error) {
	return v[s].find(key), nil
}

// Scan implements [store.Reader].
func (v *version) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		v[r.Space].walk(r, func(n *node) bool { return yield(store.Row{Key: n.key, Value: n.value}, nil) })
	}
}

// Put is called by [store.Overlay.Flush]. It keeps key and value, which are copies that the overlay made.
func (v *version) Put(s store.Space, key, value []byte) error {
	v[s] = v[s].with(key, value)
	return nil
}

// Delete is called by [store.Overlay.Flush].
func (v *version) Delete(s store.Space, key []byte) error {
	v[s] = v[s].without(key)
	return nil
}
