// Package memory is a [store.Backend] that keeps rows in memory, for tests and for trials. It keeps the whole contract
// of a backend, except that its rows end with the process.
//
// The rows of each space are a B-tree, whose copies share unchanged nodes. A version has the trees of all spaces. A
// View reads the current version. An Update replaces the version in one step, so neither waits for the other.
package memory

import (
	"bytes"
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

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
	v := &version{}
	for s := range v {
		v[s] = btree.NewBTreeGOptions(hasSmallerKey, btree.Options{NoLocks: true})
	}
	s := &Store{}
	s.current.Store(v)
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
	for space, row := range writes.Writes() { // its rows are copies that the overlay made
		if next[space] == v[space] {
			next[space] = v[space].Copy()
		}
		if row.Value == nil {
			next[space].Delete(row)
		} else {
			next[space].Set(row)
		}
	}
	s.current.Store(&next)
	return nil
}

// Close implements [store.Backend]. It waits for a running Update, but not for views, which keep their version.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.Store(nil)
	return nil
}

// version has the rows of every space at one moment, and never changes.
type version [store.Spaces]*btree.BTreeG[store.Row]

func hasSmallerKey(a, b store.Row) bool { return bytes.Compare(a.Key, b.Key) < 0 }

// Get implements [store.Reader].
func (v *version) Get(s store.Space, key []byte) ([]byte, error) {
	row, _ := v[s].Get(store.Row{Key: key})
	return row.Value, nil
}

// Scan implements [store.Reader].
func (v *version) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		within := func(row store.Row) bool {
			early, late := bytes.Compare(row.Key, r.From) < 0, r.To != nil && bytes.Compare(row.Key, r.To) >= 0
			if r.Reverse {
				early, late = late, early // those at To, which does not belong to the range, come first
			}
			return early || !late && yield(row, nil)
		}
		switch {
		case !r.Reverse:
			v[r.Space].Ascend(store.Row{Key: r.From}, within)
		case r.To == nil:
			v[r.Space].Reverse(within)
		default:
			v[r.Space].Descend(store.Row{Key: r.To}, within)
		}
	}
}
