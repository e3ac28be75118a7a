package postgres

import (
	"bytes"

	"handoff/store"
)

// tablePart is the complete contents of the table in a range, after a number of folds. It may include the row at the
// end of the range.
type tablePart struct {
	store.Range
	rows  []store.Row
	folds int64
}

// newTablePart makes a part from the rows found in a range: as many rows as were wanted, or else all of them, followed
// by the key of the next row outside, if there is one.
func newTablePart(r store.Range, found []store.Row, wanted int, folds int64) tablePart {
	p := tablePart{Range: r, rows: found, folds: folds}
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
		p.From = keyAfter(end)
	}
	return p
}

// addPart adds a part to the cache, unless another fold ended meanwhile.
func (c *cache) addPart(p tablePart) bool {
	if p.folds != c.folds.Load() {
		return false
	}
	for _, row := range p.rows {
		c.updateCell(c.ensureCell(p.Space, row.Key), func(at *cachedKey) { at.addTableValue(row.Value) })
	}
	if p.To != nil {
		c.ensureCell(p.Space, p.To)
	}
	c.spaces[p.Space].Ascend(c.ensureCell(p.Space, p.From), func(at *cachedKey) bool {
		if p.To != nil && bytes.Compare(at.key, p.To) >= 0 {
			return false
		}
		c.updateCell(at, func(at *cachedKey) { at.addTableValue(nil) }) // of which the rows say nothing
		at.linked = true
		return true
	})
	return true
}
