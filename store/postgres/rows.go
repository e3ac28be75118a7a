package postgres

import (
	"bytes"
	"context"
	"iter"

	"handoff/store"
)

// commitReader reads the rows as they were after one commit. It asks the table for rows that the cache does not have.
type commitReader struct {
	*Store
	ctx      context.Context
	number   int64
	patterns [store.Spaces]accessPattern
}

// accessPattern records how one reader has asked the table for a space so far.
type accessPattern struct {
	last  []byte // the key of the last request
	steps int    // number of consecutive requests that went forward
}

// isSequential reports whether a reader goes through a space from key to key, as a check of all rows does. For such a
// reader, each request to the table asks for many rows.
func (r *commitReader) isSequential(s store.Space, key []byte) bool {
	w := &r.patterns[s]
	if w.steps++; bytes.Compare(key, w.last) <= 0 {
		w.steps = 0
	}
	w.last = append(w.last[:0], key...)
	return w.steps > 8
}

// Get implements [store.Reader].
func (r *commitReader) Get(s store.Space, key []byte) ([]byte, error) {
	if len(key) == 0 || len(key) > store.MaxKey {
		return nil, nil
	}
	value, known := r.cache.get(s, key, r.number)
	for !known {
		q, wanted := store.Range{Space: s, From: key, To: keyAfter(key)}, 1
		if r.isSequential(s, key) {
			q.To, wanted = nil, maxBatch
		}
		p, err := r.table.readRange(r.ctx, q, wanted, r.cache.folds.Load())
		if err != nil {
			return nil, err
		}
		value, known = r.cache.addPartAndGet(p, key, r.number)
	}
	return value, nil
}

// Scan implements [store.Reader].
func (r *commitReader) Scan(q store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		place := q.From
		if q.Reverse {
			place = q.To
		}
		if q.To != nil && string(q.From) >= string(q.To) {
			return
		}
		wanted := firstBatch
		for found := r.cache.knownStretch(q, place, wanted, r.number); ; {
			for _, row := range found.rows {
				if !yield(row, nil) {
					return
				}
			}
			if found.over {
				return
			}
			var err error
			wanted = min(4*wanted, maxBatch)
			if found, err = r.nextStretch(q, found, wanted); err != nil {
				yield(store.Row{}, err)
				return
			}
		}
	}
}

// nextStretch returns the rows of a range that follow the last stretch. It asks the table if the cache does not have
// them.
func (r *commitReader) nextStretch(q store.Range, last stretch, wanted int) (stretch, error) {
	if !last.ask {
		return r.cache.knownStretch(q, last.place, wanted, r.number), nil
	}
	part := q
	if q.Reverse {
		part.To = last.place
	} else {
		part.From = last.place
		if r.isSequential(q.Space, last.place) {
			part.To = nil
		}
	}
	p, err := r.table.readRange(r.ctx, part, maxBatch, r.cache.folds.Load())
	if err != nil {
		return stretch{}, err
	}
	return r.cache.addPartAndScan(p, q, last.place, wanted, r.number), nil
}
