package store

import (
	"bytes"
	"context"
)

// slice is how many rows are read from one snapshot while a whole space is walked.
const slice = 1000

// eachRow calls fn with every row of a space in the order of keys. At the end it calls end, unless that is nil, with
// the snapshot in which there were no more rows. Each slice of rows is read from a snapshot of its own, so rows that
// are written meanwhile beyond the key that was reached are seen.
func (s *Store) eachRow(ctx context.Context, space Space, fn func(*View, Row) error, end func(*View) error) error {
	for r, more := (Range{Space: space}), true; more; {
		err := s.View(ctx, func(v *View) (err error) {
			r.From, err = v.upTo(slice, r, fn)
			more = r.From != nil
			if err == nil && !more && end != nil {
				return end(v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// upTo calls fn with the first rows of a range, at most limit. It returns the key of the row after them, nil when there
// is none.
func (v *View) upTo(limit int, r Range, fn func(*View, Row) error) (next []byte, err error) {
	n := 0
	for row, err := range v.r.Scan(r) {
		if err != nil {
			return nil, err
		}
		if n == limit {
			return bytes.Clone(row.Key), nil
		}
		n++
		if err := fn(v, row); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
