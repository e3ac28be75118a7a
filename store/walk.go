package store

import (
	"bytes"
	"context"
)

// slice is how many rows are read from one snapshot while a whole space is walked.
const slice = 1000

// eachRow calls fn with every row of a space in the order of keys, and at the end calls end, if there is
// one, with the snapshot in which there were no more. A snapshot is let go after a slice of rows: rows
// written meanwhile behind the place that was reached are seen.
func (s *Store) eachRow(ctx context.Context, space Space, fn func(*View, Row) error, end func(*View) error) error {
	for r, more := (Range{Space: space}), true; more; {
		err := s.View(ctx, func(v *View) error {
			n := 0
			for row, err := range v.r.Scan(r) {
				if err != nil {
					return err
				}
				if n == slice {
					r.From = bytes.Clone(row.Key)
					return nil
				}
				n++
				if err := fn(v, row); err != nil {
					return err
				}
			}
			more = false
			if end == nil {
				return nil
			}
			return end(v)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
