package store

import (
	"bytes"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
)

// Overlay is a [Writer] that keeps its rows in memory, over rows of a [Reader] that do not change meanwhile. A driver
// runs each Update on an overlay: dropping the overlay undoes all writes of the Update, flushing it keeps them. It is
// for one operation, with thousands of rows and not millions. One goroutine at a time may use it.
//
// An overlay is all that a driver with one writer needs for the contract of [Writer]: it makes an overlay over its
// rows, calls [Overlay.Run], and flushes if Run returned nil. The overlay keeps its rows in sorted slices, one for each
// space, because a transaction writes few rows and reads them in order. The zero value is ready after [Overlay.Reset].
type Overlay struct {
	base Reader
	rows [Spaces][]Row // sorted by key; a nil value marks a deleted row
	size int
}

var _ Writer = (*Overlay)(nil)

// NewOverlay returns an empty overlay over base.
func NewOverlay(base Reader) *Overlay { return &Overlay{base: base} }

// Reset drops all rows written and puts o over base. Later writes do not touch the slices of rows that were flushed, so
// a driver may go on using those.
//
// Reset reuses the memory of the slices, so a driver that runs one Update after another uses the same overlay for all
// of them.
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

// Run calls fn with o and returns its error, or a panic as a [*Panic]. It does not undo the writes of a failed fn: see
// [Overlay.Reset].
//
// Like recover, it does not catch runtime.Goexit: a function that ends its goroutine ends the driver's goroutine.
func (o *Overlay) Run(fn func(Writer) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn(o)
}

// Size is roughly the number of bytes that flushing would write, deletions included. It is zero if and only if nothing
// was written.
//
// A row that is written twice counts twice, so it is an upper bound. Drivers use it to limit the calls that share a
// commit.
func (o *Overlay) Size() int { return o.size }

// Flush writes all rows into w, space by space in the order of keys. It passes its own slices without copying, and
// never changes them afterwards. No value is nil. After an error some of the rows have been written.
//
// The overlay keeps its rows; Reset drops them. W is the transaction of the driver, or another overlay as in [Tx.TryPart].
func (o *Overlay) Flush(w rowWriter) error {
	if o.size == 0 {
		return nil
	}
	for s := range Spaces {
		for _, row := range o.rows[s] {
			if err := putOrDeleteRow(w, s, row); err != nil {
				return fmt.Errorf("write row of %s: %w", s, err)
			}
		}
	}
	return nil
}

// rowWriter is the part of a driver into which an overlay is flushed.
type rowWriter interface {
	Put(s Space, key, value []byte) error
	Delete(s Space, key []byte) error
}

// putOrDeleteRow puts a row, or deletes one without a value.
func putOrDeleteRow(w rowWriter, s Space, row Row) error {
	if row.Value == nil {
		return w.Delete(s, row.Key)
	}
	return w.Put(s, row.Key, row.Value)
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

// Next implements [Writer] with a counter in a row of [Sys], so that undoing the Update undoes it too. A driver with
// several writers overrides it.
//
// The row "next/" with the name of the space holds the last number, in 8 bytes. A row of another length is
// [ErrCorrupt].
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

// NextNumberKey returns the key in [Sys] of the last number of a space. Only an [Overlay] and the repair of a store write it.
func NextNumberKey(s Space) []byte { return []byte("next/" + s.String()) }

// Scan implements [Reader]: it merges the rows that were written to the overlay with the rows of the base. It copies
// the written rows when ranging begins, so it does not see later writes.
//
// Ranging may stop at any row. The yielded row belongs to the overlay or to the driver below, and is valid only until
// the next one.
func (o *Overlay) Scan(r Range) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		below := o.base.Scan(r)
		if own := o.copyRange(r); len(own) > 0 {
			below = mergeRows(own, below, r.Reverse)
		}
		below(yield)
	}
}

// findRow returns the index of key among the own rows of s, or the index at which it belongs.
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

// copyRange returns a copy of the own rows in r, in the order of r.
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

// mergeRows yields own and below together in order. An own row takes the place of a row below with the same key, and hides
// it if the own row is deleted.
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

// yieldUndeleted yields the rows that are not deleted, and reports whether to go on.
func yieldUndeleted(rows []Row, yield func(Row, error) bool) bool {
	for _, row := range rows {
		if row.Value != nil && !yield(row, nil) {
			return false
		}
	}
	return true
}
