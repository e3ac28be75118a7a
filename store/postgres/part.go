package postgres

import (
	"bytes"

	"handoff/store"
)

// part is the complete contents of the table in a range, after a number of folds. It may include the row at the end of
// the range.
type part struct {
	store.Range
	rows  []store.Row
	folds int64
}

// newPart makes a part from the rows found in a range: as many rows as were wanted, or else all of them, followed by
// the key of the next row outside, if there is one.
func newPart(r store.Range, found []store.Row, wanted int, folds int64) part {
	p := part{Range: r, rows: found, folds: folds}
	var end []byte // of the known range; nil: there are no more rows
	for i, row := range found {
		if row.Value == nil {
			p.rows, end = append(found[:i:i], found[i+1:]...), row.Key
		}
	}
	if len(p.rows) == wanted {
		end = p.rows[wanted-1].Key
	}
	if !r.Reverse {
		p.To = end
	} else if p.From = end; end != nil && len(p.rows) < wanted {
		p.From = next(end)
	}
	return p
}

// learn adds a part to the cache, unless another fold ended meanwhile.
func (c *cache) learn(p part) bool {
	if p.folds != c.folds.Load() {
		return false
	}
	for _, row := range p.rows {
		c.update(c.ensure(p.Space, row.Key), func(at *cell) { at.learn(row.Value) })
	}
	if p.To != nil {
		c.ensure(p.Space, p.To)
	}
	c.spaces[p.Space].Ascend(c.ensure(p.Space, p.From), func(at *cell) bool {
		if p.To != nil && bytes.Compare(at.key, p.To) >= 0 {
			return false
		}
		c.update(at, func(at *cell) { at.learn(nil) }) // of which the rows say nothing
		at.linked = true
		return true
	})
	return true
}
