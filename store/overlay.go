package store

import (
	"bytes"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
)

// Overlay is a [Writer] that keeps its writes in memory, over the rows of a [Reader] that do not change meanwhile. A
// driver runs each Update on an overlay. Dropping the overlay undoes the writes of the Update, and flushing keeps them.
// One goroutine at a time may use it.
//
// A transaction writes thousands of rows at most, so the overlay keeps them in one sorted slice for each space. The
// zero value is ready after [Overlay.Reset].
type Overlay struct {
	base Reader
	rows [Spaces][]Row // sorted by key; a nil value marks a deleted row
	size int
}

var _ Writer = (*Overlay)(nil)

// NewOverlay returns an empty overlay over base.
func NewOverlay(base Reader) *Overlay { return &Overlay{base: base} }

// Reset drops all rows of the overlay and puts the overlay over base. It reuses the memory, so a driver uses one
// overlay for all Updates. The keys and values of rows that were flushed stay unchanged.
func (o *Overlay) Reset(base Reader) {
	o.base = base
	if o.size == 0 {
		return
	}
	o.size = 0
	for s := range o.rows {
		clear(o.rows[s])
		o.rows[s] = o.rows[s][:0]
	}
}

// Run calls fn with o and returns its error, or a panic as a [*Panic]. It does not undo the writes of a failed fn: the
// caller calls [Overlay.Reset]. It does not catch runtime.Goexit.
func (o *Overlay) Run(fn func(Writer) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn(o)
}

// Size implements [Writer]. Drivers use it to limit the number of calls that share a commit.
func (o *Overlay) Size() int { return o.size }

// Flush writes all rows into w, space by space in the order of keys. It passes its own slices, and the overlay never
// changes these slices after Flush. After an error, some of the rows may have been written. The overlay keeps its rows
// until Reset.
func (o *Overlay) Flush(w rowWriter) error {
	for s, row := range o.Writes() {
		var err error
		if row.Value == nil {
			err = w.Delete(s, row.Key)
		} else {
			err = w.Put(s, row.Key, row.Value)
		}
		if err != nil {
			return fmt.Errorf("write row of %s: %w", s, err)
		}
	}
	return nil
}

// Writes yields all rows that Flush would write, in the same order. A nil value marks a deleted row.
func (o *Overlay) Writes() iter.Seq2[Space, Row] {
	return func(yield func(Space, Row) bool) {
		for s := range Spaces {
			for _, row := range o.rows[s] {
				if !yield(s, row) {
					return
				}
			}
		}
	}
}

// rowWriter is the target of [Overlay.Flush].
type rowWriter interface {
	Put(s Space, key, value []byte) error
	Delete(s Space, key []byte) error
}

// Get implements [Reader].
func (o *Overlay) Get(s Space, key []byte) ([]byte, error) {
	if i, found := o.findRow(s, key); found {
		return o.rows[s][i].Value, nil
	}
	return o.base.Get(s, key)
}

// Put implements [Writer].
func (o *Overlay) Put(s Space, key, value []byte) error {
	if len(key) == 0 || len(key) > MaxKey {
		return fmt.Errorf("put into %s: a key has 1 to %d bytes, not %d", s, MaxKey, len(key))
	}
	kept := append(append(make([]byte, 0, len(key)+len(value)), key...), value...)
	o.setRow(s, Row{Key: kept[:len(key):len(key)], Value: kept[len(key):]})
	return nil
}

// Delete implements [Writer].
func (o *Overlay) Delete(s Space, key []byte) error {
	o.setRow(s, Row{Key: bytes.Clone(key)})
	return nil
}

// Next implements [Writer] with a counter in a row of [Sys], so that undoing the Update undoes the counter too. The key
// is "next/" with the name of the space, and the value is the last number in 8 bytes. For a row of another length the
// error is [ErrCorrupt]. A driver with several writers overrides Next.
func (o *Overlay) Next(s Space) (uint64, error) {
	key := NextNumberKey(s)
	last, err := o.Get(Sys, key)
	if err != nil {
		return 0, fmt.Errorf("next number of %s: %w", s, err)
	}
	if last != nil && len(last) != 8 {
		return 0, fmt.Errorf("next number of %s: a counter of %d bytes: %w", s, len(last), ErrCorrupt)
	}
	n := DecodeLastNumber(last) + 1
	return n, o.Put(Sys, key, EncodeNumber(n))
}

// NextNumberKey returns the key, in [Sys], of the last number that was given for a space.
func NextNumberKey(s Space) []byte { return []byte("next/" + s.String()) }

// Scan implements [Reader]. It merges the rows of the overlay with the rows of the base. It copies the rows of the
// overlay when ranging begins, so it does not yield later writes. A yielded row is valid only until the next row.
func (o *Overlay) Scan(r Range) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		below := o.base.Scan(r)
		if own := o.copyRange(r); len(own) > 0 {
			below = mergeRows(own, below, r.Reverse)
		}
		below(yield)
	}
}

// findRow returns the index of a key among the overlay's rows of a space. If the key is missing, it returns the index
// at which the key belongs, and false.
func (o *Overlay) findRow(s Space, key []byte) (int, bool) {
	return slices.BinarySearchFunc(o.rows[s], key, func(row Row, key []byte) int {
		return bytes.Compare(row.Key, key)
	})
}

func (o *Overlay) setRow(s Space, row Row) {
	const overhead = 16 // bytes of an engine for a row, in addition to its own
	o.size += len(row.Key) + len(row.Value) + overhead
	i, found := o.findRow(s, row.Key)
	if found {
		o.rows[s][i] = row
		return
	}
	o.rows[s] = slices.Insert(o.rows[s], i, row)
}

// copyRange returns a copy of the overlay's rows in a range, in the order of the range.
func (o *Overlay) copyRange(r Range) []Row {
	own := o.rows[r.Space]
	if len(own) == 0 {
		return nil
	}
	from, _ := o.findRow(r.Space, r.From)
	to := len(own)
	if r.To != nil {
		to, _ = o.findRow(r.Space, r.To)
	}
	own = slices.Clone(own[from:max(from, to)])
	if r.Reverse {
		slices.Reverse(own)
	}
	return own
}

// mergeRows yields the rows of own and below together in order. If both have a row with the same key, it yields the row
// of own. If the row of own is deleted, it yields neither.
func mergeRows(own []Row, below iter.Seq2[Row, error], reverse bool) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range below {
			if err != nil {
				yield(Row{}, err)
				return
			}
			n := countRowsBefore(own, row.Key, reverse)
			if !yieldUndeleted(own[:n], yield) {
				return
			}
			own = own[n:]
			if len(own) > 0 && bytes.Equal(own[0].Key, row.Key) {
				continue // own[0] is yielded before the next row or at the end
			}
			if !yield(row, nil) {
				return
			}
		}
		yieldUndeleted(own, yield)
	}
}

// countRowsBefore counts the rows at the beginning of own that come before key.
func countRowsBefore(own []Row, key []byte, reverse bool) (n int) {
	side := -1
	if reverse {
		side = +1
	}
	for n < len(own) && bytes.Compare(own[n].Key, key) == side {
		n++
	}
	return n
}

// yieldUndeleted yields the rows that are not deleted. It reports whether the caller wants more rows.
func yieldUndeleted(rows []Row, yield func(Row, error) bool) bool {
	for _, row := range rows {
		if row.Value != nil && !yield(row, nil) {
			return false
		}
	}
	return true
}
