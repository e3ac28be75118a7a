package postgres

import (
	"bytes"

	"handoff/store"
)

// tablePart holds all rows of the table in a range, as they were after a number of folds. It may also include the row
// at the end of the range.
type tablePart struct {
	store.Range
	rows  []store.Row
	folds int64
}

// newTablePart makes a tablePart from the rows that a query found in a range. If the query found `wanted` rows, the
// range ends at the last row. If a found row has no value, its key is the next key outside of the range.
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

// addPart adds rows of the table to the cache, and returns false if another fold ended since they were read.
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
