package memory

import (
	"iter"

	"handoff/store"
)

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
		each := func(n *node) bool { return yield(store.Row{Key: n.key, Value: n.value}, nil) }
		if r.Reverse {
			v[r.Space].descend(r.From, r.To, each)
			return
		}
		v[r.Space].ascend(r.From, r.To, each)
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
