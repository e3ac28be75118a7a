package postgres

import (
	"context"
	"iter"

	"handoff/store"
)

// rows are the rows as one commit left them. What the cache does not know is asked of the table.
type rows struct {
	*Store
	ctx    context.Context
	number int64
}

// Get implements [store.Reader].
func (r *rows) Get(s store.Space, key []byte) ([]byte, error) {
	if len(key) == 0 || len(key) > store.MaxKey {
		return nil, nil
	}
	if value, known := r.cache.get(s, key, r.number); known {
		return value, nil
	}
	value, err := r.table.row(r.ctx, s, key)
	if err != nil {
		return nil, err
	}
	r.cache.learnRow(s, key, value)
	value, _ = r.cache.get(s, key, r.number)
	return value, nil
}

// Scan implements [store.Reader].
func (r *rows) Scan(q store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		place := q.From
		if q.Reverse {
			place = q.To
		}
		for over := q.To != nil && string(q.From) >= string(q.To); !over; {
			found := r.cache.stretch(q, place, r.number)
			for _, row := range found.rows {
				if !yield(row, nil) {
					return
				}
			}
			if place, over = found.place, found.over; !found.ask {
				continue
			}
			if err := r.learn(q, place); err != nil {
				yield(store.Row{}, err)
				return
			}
		}
	}
}

// learn asks the table for the next rows of a range.
func (r *rows) learn(q store.Range, place []byte) error {
	from, to := place, q.To
	if q.Reverse {
		from, to = q.From, place
	}
	found, err := r.table.rows(r.ctx, store.Range{Space: q.Space, From: from, To: to, Reverse: q.Reverse}, most)
	if err != nil {
		return err
	}
	if len(found) == most {
		if last := found[most-1].Key; q.Reverse {
			from = last
		} else {
			to = next(last)
		}
	}
	r.cache.learnRange(q.Space, from, to, found)
	return nil
}
