package bolt

import (
	"bytes"
	"iter"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// rows are the rows as one transaction sees them: what a View reads, what
// overlays lie on and what they are flushed into.
type rows struct {
	tx      *bbolt.Tx
	buckets [store.Spaces]*bbolt.Bucket // found so far
}

func newRows(tx *bbolt.Tx) *rows { return &rows{tx: tx} }

func (r *rows) bucket(s store.Space) *bbolt.Bucket {
	b := r.buckets[s]
	if b == nil {
		b = r.tx.Bucket([]byte(s.String()))
		if appended[s] {
			b.FillPercent = 0.9
		}
		r.buckets[s] = b
	}
	return b
}

// appended are the spaces whose new keys come after all old ones. Their pages
// are filled up, since nothing will be put between.
var appended = [store.Spaces]bool{
	store.Records: true, store.Bodies: true, store.Events: true,
	store.Tree: true, store.Receipts: true, store.Salts: true,
}

// Get implements [store.Reader].
func (r *rows) Get(s store.Space, key []byte) (value []byte, err error) {
	defer damaged(&err)
	return r.bucket(s).Get(key), nil
}

// Put is what an overlay is flushed into. Bbolt keeps value until the
// transaction ends, so it must not change.
func (r *rows) Put(s store.Space, key, value []byte) (err error) {
	defer damaged(&err)
	return r.bucket(s).Put(key, value)
}

// Delete is what an overlay is flushed into.
func (r *rows) Delete(s store.Space, key []byte) (err error) {
	defer damaged(&err)
	return r.bucket(s).Delete(key)
}

// Scan implements [store.Reader].
func (r *rows) Scan(q store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		// Under iter.Pull this is a goroutine of its own, where a damaged file must not end the process either.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		c := cursor{Range: q}
		for row, err := c.first(r); ; row, err = c.next() {
			if err != nil {
				yield(store.Row{}, err)
				return
			}
			if row.Key == nil || !yield(row, nil) {
				return
			}
		}
	}
}

// cursor walks over one range.
type cursor struct {
	store.Range
	at *bbolt.Cursor
}

// first is the row with which the range begins in its direction. Its key is
// nil if there is none.
func (c *cursor) first(r *rows) (row store.Row, err error) {
	defer damaged(&err)
	c.at = r.bucket(c.Space).Cursor()
	switch {
	case !c.Reverse:
		return c.within(c.at.Seek(c.From)), nil
	case c.To != nil:
		if k, _ := c.at.Seek(c.To); k != nil {
			return c.within(c.at.Prev()), nil
		}
	}
	return c.within(c.at.Last()), nil
}

// next is the row after the last one. Its key is nil if there is none.
func (c *cursor) next() (row store.Row, err error) {
	defer damaged(&err)
	if c.Reverse {
		return c.within(c.at.Prev()), nil
	}
	return c.within(c.at.Next()), nil
}

// within is the row unless it lies beyond the end.
func (c *cursor) within(key, value []byte) store.Row {
	beyond := c.To != nil && bytes.Compare(key, c.To) >= 0
	if c.Reverse {
		beyond = bytes.Compare(key, c.From) < 0
	}
	if key == nil || beyond {
		return store.Row{}
	}
	return store.Row{Key: key, Value: value}
}
