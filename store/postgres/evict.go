package postgres

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"

	"handoff/store"
)

// cellBytes is roughly the memory of a cell in addition to its key and its value.
const cellBytes = 128

// clockHand is the position of the CLOCK algorithm. It goes around over all cached keys, and removes a key that was not
// read since the last round.
type clockHand struct {
	space store.Space
	key   []byte // of the next cell; nil is the first one of the space
}

// markUsed marks a cell as read.
func (c *cachedKey) markUsed() {
	if !c.used.Load() { // readers at once do not all write
		c.used.Store(true)
	}
}

// evictableBytes returns the memory that removing the key frees. It is zero if the key has changes that are not in the
// table.
func (c *cachedKey) evictableBytes() int {
	switch {
	case len(c.versions) == 0:
		return cellBytes + len(c.key)
	case len(c.versions) == 1 && c.versions[0].number == 0:
		return cellBytes + len(c.key) + len(c.versions[0].value)
	}
	return 0
}

// updateCell calls how with a cached key, and corrects the number of evictable bytes.
func (c *cache) updateCell(at *cachedKey, how func(*cachedKey)) {
	c.evictable -= at.evictableBytes()
	how(at)
	c.evictable += at.evictableBytes()
}

// evict removes cached keys whose rows are in the table, until the cache is within its limit.
func (c *cache) evict() {
	for c.evictable > c.limit {
		space := c.spaces[c.hand.space]
		for _, at := range c.nextIdleCells(space) {
			c.removeCell(space, at)
		}
	}
}

// nextIdleCells moves the clock hand forward in its space, and returns cached keys to remove.
func (c *cache) nextIdleCells(space *btree.BTreeG[*cachedKey]) (idle []*cachedKey) {
	free, ended := c.evictable-c.limit, true
	space.Ascend(&cachedKey{key: c.hand.key}, func(at *cachedKey) bool {
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

// removeIfInGap removes the cached key of a deleted row, if the neighbouring keys show that there is no row between
// them. Otherwise each scan of a queue would pass one key for each row that was ever in the queue.
func (c *cache) removeIfInGap(space *btree.BTreeG[*cachedKey], at *cachedKey) {
	if value, known := at.valueAt(0); at.evictableBytes() == 0 || !known || value != nil || !at.linked {
		return
	}
	if before := cellBefore(space, at.key); before != nil && before.linked {
		c.removeCell(space, at)
	}
}

// shortLivedRow is a row that a commit deleted and that was never in the table.
type shortLivedRow struct {
	space  store.Space
	at     *cachedKey
	number int64 // of the commit
}

// removeShortLivedCells removes the keys of rows that were made and deleted again since the last fold began, if no open
// view still sees them. The table never gets these rows. Most rows of a queue are of this kind.
func (c *cache) removeShortLivedCells(oldest, folded int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for ; n < len(c.deleted) && c.deleted[n].number <= oldest; n++ {
		g := c.deleted[n]
		v := g.at.versions
		if len(v) > 2 && v[0].number == 0 && v[0].value == nil && v[1].number > folded { // else a fold knows it
			c.updateCell(g.at, func(at *cachedKey) { at.foldVersions(g.number) })
			c.removeIfInGap(c.spaces[g.space], g.at)
		}
	}
	c.deleted = slices.Delete(c.deleted, 0, n)
}

// removeCell removes a cached key. The range between its neighbours stays known only if the range has no row.
func (c *cache) removeCell(space *btree.BTreeG[*cachedKey], at *cachedKey) {
	space.Delete(at)
	c.evictable -= at.evictableBytes()
	if before := cellBefore(space, at.key); before != nil {
		value, known := at.valueAt(0)
		before.linked = before.linked && at.linked && known && value == nil
	}
}

// cellBefore returns the last cell before a key.
func cellBefore(space *btree.BTreeG[*cachedKey], key []byte) (at *cachedKey) {
	space.Descend(&cachedKey{key: key}, func(c *cachedKey) bool {
		at = c
		return bytes.Equal(c.key, key)
	})
	return at
}
