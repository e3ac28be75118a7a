package postgres

import (
	"bytes"

	"handoff/store"
)

// A part is all that the table had in a range after so many folds. The row at the end of the range may be among them.
type part struct {
	store.Range
	rows  []store.Row
	folds int64
}

// newPart makes a part of what was found in a range: so many rows as were wanted, or else all of them, and then the key
// of the next one outside, if there is one.
func newPart(r store.Range, found []store.Row, wanted int, folds int64) part {
	p := part{Range: r, rows: found, folds: folds}
	var end []byte // of what is told; nil: there are no more rows
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

// learn notes a part, unless another fold ended meanwhile.
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
