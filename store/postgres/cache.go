package postgres

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"handoff/store"
)

// cache holds rows of a workspace: rows that were read from the table, and all changes since the last fold. A fold
// writes changes from the log to the table. Each row has versions, so that a view keeps reading the commit at which it
// began.
//
// If a fold ends while rows are read from the table, these rows are not added to the cache, because they may be old.
type cache struct {
	folds atomic.Int64 // number of folds that ended; written under mu
	limit int          // bytes of cells that may go

	mu        sync.RWMutex // guards the fields below
	spaces    [store.Spaces]*btree.BTreeG[*cachedKey]
	evictable int // bytes of cells that may go
	hand      clockHand
	deleted   []shortLivedRow
}

// cachedKey is a key with its known versions. A key without versions only marks the end of a known range.
type cachedKey struct {
	key      []byte
	versions []version // by number; number zero is the row in the table
	linked   bool      // no row lies between this key and the key of the next cell
	used     atomic.Bool
}

// version is the value of a row after a commit.
type version struct {
	number int64
	value  []byte // nil: there is no such row
}

func newCache(limit int) *cache {
	c := &cache{limit: limit}
	for s := range c.spaces {
		c.spaces[s] = btree.NewBTreeGOptions(func(a, b *cachedKey) bool { return bytes.Compare(a.key, b.key) < 0 }, btree.Options{NoLocks: true})
	}
	return c
}

// valueAt returns the value of the key after a commit. Known is false if the cache does not have that value, so that
// the caller must ask the table.
func (c *cachedKey) valueAt(number int64) (value []byte, known bool) {
	for _, v := range slices.Backward(c.versions) {
		if v.number <= number {
			return v.value, true
		}
	}
	return nil, false
}

// addTableValue adds the value in the table as the oldest version, unless the key already has a value from the table.
func (c *cachedKey) addTableValue(value []byte) {
	if len(c.versions) == 0 || c.versions[0].number > 0 {
		c.versions = append([]version{{value: value}}, c.versions...)
	}
}

// foldVersions records that the table now has the value of the key as of a commit. It drops older versions.
func (c *cachedKey) foldVersions(number int64) {
	i := len(c.versions) - 1
	for i > 0 && c.versions[i].number > number {
		i--
	}
	if i >= 0 && c.versions[i].number <= number {
		c.versions = append([]version{{value: c.versions[i].value}}, c.versions[i+1:]...)
	}
}

// get returns a row as of a commit, if it is known.
func (c *cache) get(s store.Space, key []byte, number int64) (value []byte, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	at, exact := cellAtOrBefore(c.spaces[s], key)
	if at == nil {
		return nil, false
	}
	at.markUsed()
	if exact {
		return at.valueAt(number)
	}
	return nil, at.linked
}

// put adds the value that a row has after a commit.
func (c *cache) put(s store.Space, key, value []byte, number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.ensureCell(s, key)
	c.updateCell(at, func(at *cachedKey) { at.versions = append(at.versions, version{number, value}) })
	if known, is := at.valueAt(0); value == nil && is && known == nil {
		c.deleted = append(c.deleted, shortLivedRow{s, at, number})
	}
}

// addPartAndGet adds rows of the table to the cache, and returns the row with a key as of a commit. Known is false if
// another fold ended meanwhile.
func (c *cache) addPartAndGet(p tablePart, key []byte, number int64) (value []byte, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.addPart(p) {
		return nil, false
	}
	defer c.evict()
	return c.ensureCell(p.Space, key).valueAt(number)
}

// addPartAndScan adds rows of the table to the cache, and returns the known rows of a range from the key `place` on.
// The result is empty if another fold ended meanwhile.
func (c *cache) addPartAndScan(p tablePart, r store.Range, place []byte, wanted int, number int64) stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.addPart(p) {
		return stretch{place: place, ask: true}
	}
	defer c.evict()
	return c.knownStretchLocked(r, place, wanted, number)
}

// netChanges returns the last change of each changed row up to a commit. If sure is true, the cache knows which rows
// the table has, and netChanges leaves out deletions of rows that the table never had.
func (c *cache) netChanges(changes []changedKey, number int64, sure bool) (left []rowWrite) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	seen := map[*cachedKey]bool{}
	for _, change := range changes {
		at, exact := cellAtOrBefore(c.spaces[change.space], []byte(change.key))
		if !exact || seen[at] {
			continue
		}
		seen[at] = true
		value, _ := at.valueAt(number)
		if had, known := at.valueAt(0); value != nil || !sure || !known || had != nil {
			left = append(left, rowWrite{change.space, store.Row{Key: at.key, Value: value}})
		}
	}
	return left
}

// recordFold notes that the table has these changes up to a commit.
func (c *cache) recordFold(changes []changedKey, number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range changes {
		at, exact := cellAtOrBefore(c.spaces[change.space], []byte(change.key))
		if !exact {
			continue // it was deleted, and closed already
		}
		c.updateCell(at, func(at *cachedKey) { at.foldVersions(number) })
		c.removeIfInGap(c.spaces[change.space], at)
	}
	c.folds.Add(1)
	c.evict()
}

// stretch is a part of a range whose rows the cache knows. The field place is the key at which the next stretch begins.
// In forward order the next stretch includes the row with this key. In reverse order it does not, and nil stands for
// the end of the space.
type stretch struct {
	rows  []store.Row
	place []byte // where to continue
	ask   bool   // the table has to be asked for the rows at place
	over  bool   // the range has no more rows
}

// The numbers of rows that are asked for in one stretch.
const (
	firstBatch = 4   // at first, because most scans end soon
	maxBatch   = 256 // later; also the number of rows per request to the table
)

func (c *cache) knownStretch(r store.Range, place []byte, wanted int, number int64) stretch {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.knownStretchLocked(r, place, wanted, number)
}

func (c *cache) knownStretchLocked(r store.Range, place []byte, wanted int, number int64) stretch {
	if r.Reverse {
		return cachedStretchBackward(c.spaces[r.Space], r, place, wanted, number)
	}
	return cachedStretchForward(c.spaces[r.Space], r, place, wanted, number)
}

func cachedStretchForward(space *btree.BTreeG[*cachedKey], r store.Range, place []byte, wanted int, number int64) stretch {
	found := stretch{place: place}
	before, _ := cellAtOrBefore(space, place)
	known := before != nil && before.linked
	if known {
		before.markUsed()
	}
	space.Ascend(&cachedKey{key: place}, func(at *cachedKey) bool {
		at.markUsed()
		value, valued := at.valueAt(number)
		switch {
		case !known && !bytes.Equal(at.key, found.place):
			return false
		case r.To != nil && bytes.Compare(at.key, r.To) >= 0:
			found.over = true
			return false
		case !valued:
			found.place, known = at.key, false
			return false
		case value != nil:
			found.rows = append(found.rows, store.Row{Key: at.key, Value: value})
		}
		found.place, known = keyAfter(at.key), at.linked
		return len(found.rows) < wanted
	})
	full := len(found.rows) == wanted
	found.over = known && !full || r.To != nil && bytes.Compare(found.place, r.To) >= 0
	found.ask = !found.over && !full
	return found
}

func cachedStretchBackward(space *btree.BTreeG[*cachedKey], r store.Range, place []byte, wanted int, number int64) stretch {
	found := stretch{place: place, ask: true}
	look := func(at *cachedKey) bool {
		at.markUsed()
		value, valued := at.valueAt(number)
		switch {
		case place != nil && bytes.Compare(at.key, place) >= 0:
			return true
		case !at.linked:
			return false
		case bytes.Compare(at.key, r.From) < 0:
			found.ask, found.over = false, true
			return false
		case !valued:
			found.place = keyAfter(at.key)
			return false
		case value != nil:
			found.rows = append(found.rows, store.Row{Key: at.key, Value: value})
		}
		found.place = at.key
		found.over = bytes.Compare(at.key, r.From) <= 0
		found.ask = !found.over && len(found.rows) < wanted
		return found.ask
	}
	if place == nil {
		space.Reverse(look)
	} else {
		space.Descend(&cachedKey{key: place}, look)
	}
	return found
}

// keyAfter returns the smallest key that is greater than the given one.
func keyAfter(key []byte) []byte { return append(bytes.Clone(key), 0) }

// cellAtOrBefore returns the cached key that equals the given key, or the last cached key before it. Exact reports
// whether they are equal.
func cellAtOrBefore(space *btree.BTreeG[*cachedKey], key []byte) (at *cachedKey, exact bool) {
	space.Descend(&cachedKey{key: key}, func(c *cachedKey) bool {
		at = c
		return false
	})
	return at, at != nil && bytes.Equal(at.key, key)
}

// ensureCell returns the cached key, and adds it if it is missing. In a range that is known to be empty, the added key
// is known to have no row.
func (c *cache) ensureCell(s store.Space, key []byte) *cachedKey {
	before, exact := cellAtOrBefore(c.spaces[s], key)
	if exact {
		return before
	}
	at := &cachedKey{key: bytes.Clone(key)}
	if before != nil && before.linked {
		at.linked, at.versions = true, []version{{}}
	}
	c.spaces[s].Set(at)
	c.evictable += at.evictableBytes()
	return at
}
