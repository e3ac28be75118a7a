package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// SearchWordsFunc returns the search words of a handoff. Package mailbox chooses them.
type SearchWordsFunc func(*store.View, *store.Record) (store.WordList, error)

// checkRows compares derived rows with their sources: index rows with records, counters with the counted rows, and other
// rows with the rows that they refer to. An error means that the check could not be finished.
//
// It reads one snapshot, which takes seconds on a large store. The files of some engines grow meanwhile. It changes
// nothing. [VerifyRegistry] reads events and content.
func checkRows(ctx context.Context, s *store.Store, words SearchWordsFunc) (found *foundFaults, err error) {
	err = s.View(ctx, func(v *store.View) error {
		found = &foundFaults{}
		c := checker{
			View: v, foundFaults: found, ctx: ctx, words: words, seed: maphash.MakeSeed(), counted: store.CounterTotals{},
		}
		for _, step := range []func() error{
			c.eachRowOf(store.Records, c.checkRecord), c.addUpIndexRows, c.findMissingIndexRows, c.findExtraIndexRows,
			c.eachRowOf(store.Unread, c.checkUnreadNotice), c.checkCounters,
			// No event proves the rows of the steps below. Most of their faults cannot be mended, because no other row of
			// the store has the data of the right row.
			c.checkTokens, c.eachRowOf(store.Agents, c.checkAgent), c.eachRowOf(store.Rules, c.checkDeclaredRule),
			c.checkWorkflows, c.eachRowOf(store.Notices, c.checkNotice), c.checkNextNoticeID, c.eachRowOf(store.Receipts, c.checkReceipt),
			c.eachRowOf(store.Words, c.findOrphanWords), c.checkNextHandoffID,
		} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// checker is one run of checkRows. Its steps run in a fixed order, because later steps use results of checkRecord.
type checker struct {
	*store.View
	*foundFaults
	ctx     context.Context // of the whole check
	words   SearchWordsFunc
	counted store.CounterTotals
	last    schemas.ID       // the highest record
	notice  schemas.NoticeID // the highest notice
	seed    maphash.Seed

	// expected holds for each space the sum of the row numbers that the records should have, minus the sum of the row
	// numbers that exist. If the result is not zero, a row is wrong, and the check looks up the rows one by one. A map
	// of all rows would not fit into memory.
	expected [store.Spaces]uint64
}

// rowSum returns a number for a row. The checker adds up these numbers for each space, see [checker].expected.
func (c *checker) rowSum(key, value []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(key)))) //nolint:gosec // keys are short
	_, _ = h.Write(key)
	_, _ = h.Write(value)
	return h.Sum64()
}

// eachRow calls fn with every row of a space, until fn returns an error. The row is valid until fn returns.
func (c *checker) eachRow(space store.Space, fn func(store.Row) error) error {
	return c.EachInRange(store.Range{Space: space}, func(row store.Row) error { return cmp.Or(c.ctx.Err(), fn(row)) })
}

// eachRowOf returns a step that calls fn with every row of a space.
func (c *checker) eachRowOf(space store.Space, fn func(store.Row) error) func() error {
	return func() error { return c.eachRow(space, fn) }
}

// checkRecord reads a record, adds up its counters and the numbers of its index rows, and checks its search words.
func (c *checker) checkRecord(row store.Row) error {
	id := schemas.ID(store.DecodeLastNumber(row.Key))
	c.last = max(c.last, id)
	r, err := store.DecodeRecord(row.Value)
	if err != nil {
		c.addFault("the record of %s cannot be read: %v", id, err)
		if isNewerRecord(err) {
			c.refused = err
		}
		return nil
	}
	if r.ID != id {
		c.addFault("the record of %s calls itself %s", id, r.ID)
		return nil
	}
	shares := store.CountersOf(r)
	c.counted.Add(shares[:]...)
	for _, e := range store.IndexRowsOf(r) {
		c.expected[e.Space] += c.rowSum(e.Key, e.Value)
	}
	return c.checkSearchWords(r)
}

// checkSearchWords checks that a handoff with content has search words.
func (c *checker) checkSearchWords(r *store.Record) error {
	if r.Body == 0 {
		return nil
	}
	row, err := c.RawRows().Get(store.Words, store.EncodeNumber(r.ID))
	if err != nil || len(row) > 0 && row[0] == 0 && row[len(row)-1] == 0 {
		return err
	}
	const lost = "%s has no words by which it is found"
	if c.words != nil {
		list, err := c.words(c.View, r)
		if err == nil {
			c.addMendableFault(putFix(store.Words, store.EncodeNumber(r.ID), list), lost, r.ID)
			return nil
		}
	}
	c.addFault(lost+", and its content cannot be read", r.ID)
	return nil
}

// indexSpaces lists the spaces of [store.IndexRowsOf].
var indexSpaces = []store.Space{store.Ready, store.Wakes, store.ByBox, store.BySender, store.ByHolder, store.ByWorkflow, store.ByState, store.ByParent, store.ByOrigin, store.ByAfter, store.ByFreed}

// addUpIndexRows subtracts the numbers of the stored index rows from the sums of the index rows that the records should
// have, see [checker].expected.
func (c *checker) addUpIndexRows() error {
	for _, space := range indexSpaces {
		err := c.eachRow(space, func(row store.Row) error {
			c.expected[space] -= c.rowSum(row.Key, row.Value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findMissingIndexRows finds expected index rows that are missing.
func (c *checker) findMissingIndexRows() error {
	if c.expected == ([store.Spaces]uint64{}) {
		return nil
	}
	return c.eachRow(store.Records, func(row store.Row) error {
		r, err := store.DecodeRecord(row.Value)
		if err != nil || r.ID != schemas.ID(store.DecodeLastNumber(row.Key)) {
			return nil //nolint:nilerr // records reported it
		}
		for _, e := range store.IndexRowsOf(r) {
			if c.expected[e.Space] == 0 {
				continue
			}
			value, err := c.RawRows().Get(e.Space, e.Key)
			if err != nil {
				return err
			}
			if value == nil || !bytes.Equal(value, e.Value) {
				c.addMendableFault(putFix(e.Space, e.Key, e.Value), "%s lacks its row in %s", r.ID, e.Space)
			}
		}
		return nil
	})
}

// findExtraIndexRows finds index rows that do not belong to any record. It skips index rows whose record cannot be
// read, because these rows may be right.
func (c *checker) findExtraIndexRows() error {
	for _, space := range indexSpaces {
		if c.expected[space] == 0 {
			continue
		}
		err := c.eachRow(space, func(row store.Row) error {
			id := schemas.ID(store.DecodeLastNumber(row.Key))
			b, err := c.RawRows().Get(store.Records, store.EncodeNumber(id))
			if err != nil {
				return err
			}
			r, _ := store.DecodeRecord(b) // nil if it cannot be read
			switch {
			case b != nil && (r == nil || r.ID != id):
			case b == nil || !slices.ContainsFunc(store.IndexRowsOf(r), store.IndexRow{Space: space, Key: row.Key}.HasSameKey):
				c.addMendableFault(deleteFix(space, row.Key), "%s has a row for %s that its record does not ask for", space, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkUnreadNotice checks that an unread notice exists, and counts it.
func (c *checker) checkUnreadNotice(row store.Row) error {
	kept, err := c.RawRows().Get(store.Notices, row.Key)
	if err != nil {
		return err
	}
	id := schemas.NoticeID(store.DecodeLastNumber(row.Key))
	var notice schemas.Notice
	if kept == nil {
		c.addMendableFault(deleteFix(store.Unread, row.Key), "notice %s is unread and missing", id)
		return nil
	}
	if err := schemas.Decode(kept, &notice); err != nil {
		c.addFault("notice %s is unread and cannot be read: %v", id, err)
	} else if e := store.UnreadRow(notice); len(row.Value) > 0 && store.DecodeLastNumber(row.Value) != store.DecodeLastNumber(e.Value) {
		right := putFix(store.Unread, row.Key, e.Value)
		c.addMendableFault(right, "notice %s is unread and its row names another handoff", id)
	}
	agent, _, _ := bytes.Cut(row.Key, []byte{0})
	c.counted.Add(store.MailboxCounters{Address: schemas.Address(agent), Counters: store.Counters{Unread: 1}})
	return nil
}

// checkCounters compares the stored counters with the numbers that this check has counted.
func (c *checker) checkCounters() error {
	maps.DeleteFunc(c.counted, func(_ schemas.Address, holds store.Counters) bool { return holds == store.Counters{} })
	err := c.eachRow(store.Mailboxes, func(row store.Row) error {
		c.counted.Add(store.MailboxCounters{Address: schemas.Address(row.Key)})
		return nil
	})
	if err != nil {
		return err
	}
	for _, box := range slices.Sorted(maps.Keys(c.counted)) {
		b, err := c.RawRows().Get(store.Mailboxes, []byte(box))
		if err != nil {
			return err
		}
		holds := c.counted[box]
		if holds != (store.Counters{}) && bytes.Equal(b, holds.Encode()) {
			continue
		}
		right := putFix(store.Mailboxes, []byte(box), holds.Encode())
		if holds == (store.Counters{}) {
			right = deleteFix(store.Mailboxes, []byte(box))
		}
		kept, _ := store.DecodeCounters(b) // zeros when they cannot be read
		c.addMendableFault(right, "mailbox %s is counted as %+v and holds %+v", box, kept, holds)
	}
	return nil
}
