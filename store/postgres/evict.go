package postgres

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"

	"handoff/store"
)

// cellBytes is roughly the memory of a cell in addition to its key and its value.
const cellBytes = 128

// clockHand is the hand of the CLOCK algorithm: it goes around over all cells, and removes a cell that was not read
// since its last pass.
type clockHand struct {
	space store.Space
	key   []byte // of the next cell; nil is the first one of the space
}

// markUsed marks a cell as read.
func (c *cell) markUsed() {
	if !c.used.Load() { // readers at once do not all write
		c.used.Store(true)
	}
}

// evictableBytes returns the bytes that evicting the cell frees. It is zero if the cell has changes that the table has
// not.
func (c *cell) evictableBytes() int {
	switch {
	case len(c.versions) == 0:
		return cellBytes + len(c.key)
	case len(c.versions) == 1 && c.versions[0].number == 0:
		return cellBytes + len(c.key) + len(c.versions[0].value)
	}
	return 0
}

// update runs how on a cell and adjusts the count of evictable bytes.
func (c *cache) update(at *cell, how func(*cell)) {
	c.evictable -= at.evictableBytes()
	how(at)
	c.evictable += at.evictableBytes()
}

// evict removes cells whose rows the table has, until the limit is kept.
func (c *cache) evict() {
	for c.evictable > c.limit {
		space := c.spaces[c.hand.space]
		for _, at := range c.sweep(space) {
			c.forget(space, at)
		}
	}
}

// sweep moves the hand on in its space, and returns cells to remove.
func (c *cache) sweep(space *btree.BTreeG[*cell]) (idle []*cell) {
	free, ended := c.evictable-c.limit, true
	space.Ascend(&cell{key: c.hand.key}, func(at *cell) bool {
		if c.hand.key = at.key; free <= 0 {
			ended = false
			return false
		}
		if spare := at.evictableBytes(); spare > 0 && !at.used.Swap(false) {
			idle, free = append(idle, at), free-spare
		}
		return true
	})
	if ended {
		c.hand = clockHand{space: (c.hand.space + 1) % store.Spaces}
	}
	return idle
}

// closeGap removes the cell of a deleted row, if the cells next to it show that there is no row between them. If such
// cells stayed, each scan of a queue would pass one for each row that was ever in the queue.
func (c *cache) closeGap(space *btree.BTreeG[*cell], at *cell) {
	if value, known := at.at(0); at.evictableBytes() == 0 || !known || value != nil || !at.linked {
		return
	}
	if before := previous(space, at.key); before != nil && before.linked {
		c.forget(space, at)
	}
}

// deletedRow is a row that a commit deleted, and that the table never had.
type deletedRow struct {
	space  store.Space
	at     *cell
	number int64 // of the commit
}

// dropShortLived removes the cells of rows that were made and deleted again since the last fold began, if no open view
// still sees them: the table never gets them. Most rows of a queue are of this kind.
func (c *cache) dropShortLived(oldest, folded int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for ; n < len(c.deleted) && c.deleted[n].number <= oldest; n++ {
		g := c.deleted[n]
		v := g.at.versions
		if len(v) > 2 && v[0].number == 0 && v[0].value == nil && v[1].number > folded { // else a fold knows it
			c.update(g.at, func(at *cell) { at.fold(g.number) })
			c.closeGap(c.spaces[g.space], g.at)
		}
	}
	c.deleted = slices.Delete(c.deleted, 0, n)
}

// forget removes a cell. The range between its neighbours stays known if it is known to have no row.
func (c *cache) forget(space *btree.BTreeG[*cell], at *cell) {
	space.Delete(at)
	c.evictable -= at.evictableBytes()
	if before := previous(space, at.key); before != nil {
		value, known := at.at(0)
		before.linked = before.linked && at.linked && known && value == nil
	}
}

// previous returns the last cell before a key.
func previous(space *btree.BTreeG[*cell], key []byte) (at *cell) {
	space.Descend(&cell{key: key}, func(c *cell) bool {
		at = c
		return bytes.Equal(c.key, key)
	})
	return at
}
