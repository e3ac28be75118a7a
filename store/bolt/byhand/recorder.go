package byhand

import (
	"bytes"
	"context"
	"sync"

	"handoff/store"
)

// Transaction are the writes of one Update.
type Transaction []write

type write struct {
	space   store.Space
	key     []byte
	value   []byte
	deleted bool
}

// Recorder is a backend that keeps the writes of every transaction.
type Recorder struct {
	store.Backend

	mu   sync.Mutex // guards the field below
	done []Transaction
}

// Record begins to keep the writes to a backend.
func Record(b store.Backend) *Recorder { return &Recorder{Backend: b} }

// Transactions returns the transactions that took effect, in the order of their ends.
func (r *Recorder) Transactions() []Transaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// Update implements [store.Backend].
func (r *Recorder) Update(ctx context.Context, fn func(store.Writer) error) error {
	var t Transaction
	err := r.Backend.Update(ctx, func(w store.Writer) error {
		t = nil
		return fn(&recording{w, &t})
	})
	if err == nil && len(t) > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = append(r.done, t)
	}
	return err
}

type recording struct {
	store.Writer
	to *Transaction
}

func (w *recording) Put(s store.Space, key, value []byte) error {
	*w.to = append(*w.to, write{space: s, key: bytes.Clone(key), value: bytes.Clone(value)})
	return w.Writer.Put(s, key, value)
}

func (w *recording) Delete(s store.Space, key []byte) error {
	*w.to = append(*w.to, write{space: s, key: bytes.Clone(key), deleted: true})
	return w.Writer.Delete(s, key)
}
