package bolt

import (
	"bytes"
	"fmt"
	"iter"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// rows reads and writes the rows of one bbolt transaction. A View reads from it. Each Update writes to an overlay, and
// the writer flushes the overlay into rows if the Update succeeds.
type rows struct {
	tx      *bbolt.Tx
	buckets [store.Spaces]*bbolt.Bucket // those used so far
	last    byte                        // of the last value, see touch
	damage  error                       // the last damage that was met, for callers that pass over unreadable rows
}

func newRows(tx *bbolt.Tx) *rows { return &rows{tx: tx} }

// bucket returns the bucket of a space. It is nil only in a file that was opened read-only and that an older program
// wrote, which did not know the space.
func (r *rows) bucket(s store.Space) *bbolt.Bucket {
	b := r.buckets[s]
	if b == nil {
		b = r.tx.Bucket([]byte(s.String()))
		if appended[s] && b != nil {
			b.FillPercent = 0.9
		}
		r.buckets[s] = b
	}
	return b
}

// recordDamage turns a panic of bbolt into an error, as recoverAsDamage does, and records the error.
func (r *rows) recordDamage(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w (%v)", store.ErrCorrupt, v)
		r.damage = *err
	}
}

// touch reads the last byte of a value, and returns the value. So a value that a damaged page leads out of the file is
// noticed here, and not by its reader.
func (r *rows) touch(value []byte) []byte {
	if len(value) > 0 {
		r.last = value[len(value)-1]
	}
	return value
}

// appended marks the spaces whose new keys come after all old keys. Their pages are filled completely, because no later
// key comes between the old keys.
var appended = [store.Spaces]bool{
	store.Records: true, store.Bodies: true, store.Events: true,
	store.Tree: true, store.Receipts: true, store.Salts: true,
}

// Get implements [store.Reader].
func (r *rows) Get(s store.Space, key []byte) (value []byte, err error) {
	defer r.recordDamage(&err)
	b := r.bucket(s)
	if b == nil {
		return nil, nil
	}
	return r.touch(b.Get(key)), nil
}

// Put is called by [store.Overlay.Flush]. The value must not change before the transaction ends, because bbolt does not
// copy it.
func (r *rows) Put(s store.Space, key, value []byte) (err error) {
	defer r.recordDamage(&err)
	return r.bucket(s).Put(key, value)
}

// Delete is called by [store.Overlay.Flush].
func (r *rows) Delete(s store.Space, key []byte) (err error) {
	defer r.recordDamage(&err)
	return r.bucket(s).Delete(key)
}

// Scan implements [store.Reader].
func (r *rows) Scan(q store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		// Under iter.Pull this runs on a goroutine of its own, where a damaged file must not end the process either.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		c := rangeCursor{Range: q, rows: r}
		for row, err := c.first(); ; row, err = c.next() {
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

// rangeCursor walks over one range.
type rangeCursor struct {
	store.Range
	rows *rows
	at   *bbolt.Cursor
}

// first returns the first row of the range in its direction. Its key is nil if there is none.
func (c *rangeCursor) first() (row store.Row, err error) {
	defer c.rows.recordDamage(&err)
	b := c.rows.bucket(c.Space)
	if b == nil {
		return store.Row{}, nil
	}
	c.at = b.Cursor()
	switch {
	case !c.Reverse:
		return c.rowIfInRange(c.at.Seek(c.From)), nil
	case c.To != nil:
		if k, _ := c.at.Seek(c.To); k != nil {
			return c.rowIfInRange(c.at.Prev()), nil
		}
	}
	return c.rowIfInRange(c.at.Last()), nil
}

// next returns the next row. Its key is nil if there is none.
func (c *rangeCursor) next() (row store.Row, err error) {
	defer c.rows.recordDamage(&err)
	if c.Reverse {
		return c.rowIfInRange(c.at.Prev()), nil
	}
	return c.rowIfInRange(c.at.Next()), nil
}

// rowIfInRange returns the row, or a row without a key if the key is beyond the end of the range.
func (c *rangeCursor) rowIfInRange(key, value []byte) store.Row {
	beyond := c.To != nil && bytes.Compare(key, c.To) >= 0
	if c.Reverse {
		beyond = bytes.Compare(key, c.From) < 0
	}
	if key == nil || beyond {
		return store.Row{}
	}
	return store.Row{Key: c.rows.touch(key), Value: c.rows.touch(value)}
}
