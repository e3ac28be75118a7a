package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"handoff/schemas"
)

// getRow reads and decodes one row. It returns the zero value if there is no row.
func getRow[T any](v *View, s Space, key []byte, decode func([]byte) (T, error)) (none T, err error) {
	b, err := v.r.Get(s, key)
	if b == nil || err != nil {
		return none, err
	}
	return decode(b)
}

// getJSON reads and decodes one row that holds JSON. It returns nil if there is no row.
func getJSON[T any](v *View, s Space, key []byte) (*T, error) {
	return getRow(v, s, key, func(b []byte) (*T, error) {
		out := new(T)
		if err := schemas.Decode(b, out); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", s, ErrCorrupt, err)
		}
		return out, nil
	})
}

// putJSON writes a row that get reads.
func (t *RowTx) putJSON(s Space, key []byte, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return t.w.Put(s, key, b)
}

// decodeRows yields the result of decode for each row of a range. An error of the scan or of decode is yielded once, at
// the end. Decode may read other rows, and must not keep the row.
func decodeRows[T any](v *View, r Range, decode func(Row) (T, error)) iter.Seq2[T, error] {
	return decodeRowsIf(v, r, func(Row) bool { return true }, decode)
}

// decodeRowsIf is [decodeRows], except that it skips the rows for which wanted returns false.
func decodeRowsIf[T any](v *View, r Range, wanted func(Row) bool, decode func(Row) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range v.r.Scan(r) {
			if err == nil && !wanted(row) {
				continue
			}
			var out T
			if err == nil {
				out, err = decode(row)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// distinctBeginnings yields each distinct beginning of the keys of a range once. The parameter `beginning` is a
// function that cuts the beginning out of a key, and `of` is a function that converts it to the result. It costs one
// seek for each distinct beginning, however many keys share it.
func distinctBeginnings[T any](v *View, r Range, beginning func(key []byte) []byte, of func([]byte) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			more = false
			for row, err := range v.r.Scan(r) {
				group := bytes.Clone(beginning(row.Key))
				r.From = PrefixEnd(group)
				more = yield(of(group), err) && err == nil && r.From != nil
				break
			}
		}
	}
}

// reversePrefix returns the range of all keys that begin with prefix, from the last key to the first.
func reversePrefix(s Space, prefix []byte) Range {
	r := Prefix(s, prefix)
	r.Reverse = true
	return r
}

// DecodeJSONRow decodes the value of a row. The result shares no memory with the row.
func DecodeJSONRow[T any](row Row) (out T, err error) {
	if err = schemas.Decode(row.Value, &out); err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return out, err
}

// EachInRange calls fn with each row of a range, and stops at the first error.
func (v *View) EachInRange(r Range, fn func(Row) error) error {
	for row, err := range v.r.Scan(r) {
		if err == nil {
			err = fn(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsPerSnapshot is the number of rows that EachRow reads from one snapshot.
const rowsPerSnapshot = 1000

// EachRow calls fn with all rows of a space in the order of keys, a thousand rows from each snapshot. Between two
// snapshots no snapshot is open, so a long walk blocks no caller and no file grows. Fn sees later changes of rows that
// the walk has not reached.
//
// EachRow returns the first error of fn or of the backend. After the last row it calls the functions in end with the
// last snapshot.
func (s *Store) EachRow(ctx context.Context, space Space, fn func(*View, Row) error, end ...func(*View) error) error {
	for r, more := (Range{Space: space}), true; more; {
		err := s.View(ctx, func(v *View) (err error) {
			r.From, err = v.eachOfNextThousand(r, fn)
			more = r.From != nil
			for i := 0; err == nil && !more && i < len(end); i++ {
				err = end[i](v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachOfNextThousand calls fn with the first rows of a range, at most rowsPerSnapshot. It returns the key of the next
// row, nil if there is none.
func (v *View) eachOfNextThousand(r Range, fn func(*View, Row) error) (next []byte, err error) {
	n := 0
	for row, err := range v.r.Scan(r) {
		if err != nil {
			return nil, err
		}
		if n == rowsPerSnapshot {
			return bytes.Clone(row.Key), nil
		}
		n++
		if err := fn(v, row); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
