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

// Check compares derived rows with their sources: each record with its index rows, each index row with its record, all
// counters with the counted rows, and agents, workflows, tokens, notices, receipts and words with the rows that they
// refer to. It does so in one snapshot, which is kept for the whole time: on a large store it takes seconds, and some
// engines grow meanwhile. An error means that the check could not be finished.
//
// It changes nothing. Tests call it after their changes, and people by [Examine]. It does not read events and content:
// [Registry] reads these.
func Check(ctx context.Context, s *store.Store) ([]string, error) {
	found, err := check(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	return found.problems(), nil
}

// Wording returns the search words of a handoff. Package mailbox chooses them.
type Wording func(*store.View, *store.Record) (store.WordList, error)

func check(ctx context.Context, s *store.Store, words Wording) (found *faults, err error) {
	err = s.View(ctx, func(v *store.View) error {
		found = &faults{}
		c := checker{
			View: v, faults: found, ctx: ctx, words: words, seed: maphash.MakeSeed(), counted: store.Tally{},
		}
		for _, step := range append([]func() error{c.records, c.indexes, c.unread, c.counters}, c.unprovenSteps()...) {
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

// checker is one run of a check. Its steps run in a fixed order, because the checks of indexes and counters use results
// of the method records.
type checker struct {
	*store.View
	*faults
	ctx     context.Context // of the whole check
	words   Wording
	counted store.Tally
	last    schemas.ID // the highest record
	seed    maphash.Seed

	// expected holds a number for each space: the sum over the index rows that the records should have, minus the sum
	// over the index rows that exist. If the number is not zero, some row is wrong, and only then the check looks up
	// rows one by one. A map of all rows would not fit into memory.
	expected [store.Spaces]uint64
}

// sum returns the number that a row adds to the sum of its space.
func (c *checker) sum(key, value []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(key)))) //nolint:gosec // keys are short
	_, _ = h.Write(key)
	_, _ = h.Write(value)
	return h.Sum64()
}

// each calls fn with every row of a space.
//
// The row is valid until fn returns. An error of fn ends the walk.
func (c *checker) each(space store.Space, fn func(store.Row) error) error {
	return c.Each(store.Range{Space: space}, func(row store.Row) error { return cmp.Or(c.ctx.Err(), fn(row)) })
}

// records reads each record, and adds up its index rows and counters.
func (c *checker) records() error {
	return c.each(store.Records, func(row store.Row) error {
		id := schemas.ID(store.LastNumber(row.Key))
		c.last = max(c.last, id)
		r, err := store.DecodeRecord(row.Value)
		if err != nil {
			c.addf("the record of %s cannot be read: %v", id, err)
			if isNewer(err) {
				c.refused = err
			}
			return nil
		}
		if r.ID != id {
			c.addf("the record of %s calls itself %s", id, r.ID)
			return nil
		}
		shares := store.Shares(r)
		c.counted.Add(shares[:]...)
		for _, e := range store.Entries(r) {
			c.expected[e.Space] += c.sum(e.Key, e.Value)
		}
		return c.checkWords(r)
	})
}

// checkWords checks that a handoff with content has search words.
func (c *checker) checkWords(r *store.Record) error {
	if r.Body == 0 {
		return nil
	}
	row, err := c.Rows().Get(store.Words, store.Number(r.ID))
	if err != nil || len(row) > 0 && row[0] == 0 && row[len(row)-1] == 0 {
		return err
	}
	const lost = "%s has no words by which it is found"
	if c.words != nil {
		list, err := c.words(c.View, r)
		if err == nil {
			c.mendf(put(store.Words, store.Number(r.ID), list), lost, r.ID)
			return nil
		}
	}
	c.addf(lost+", and its content cannot be read", r.ID)
	return nil
}

// indexSpaces lists the spaces of [store.Entries].
var indexSpaces = []store.Space{store.Ready, store.Wakes, store.ByBox, store.BySender, store.ByHolder, store.ByWorkflow, store.ByState, store.ByParent, store.ByOrigin, store.ByAfter, store.ByFreed}

// indexes compares the index rows with the expected ones.
func (c *checker) indexes() error {
	for _, space := range indexSpaces {
		err := c.each(space, func(row store.Row) error {
			c.expected[space] -= c.sum(row.Key, row.Value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.missing(); err != nil {
		return err
	}
	return c.extra()
}

// missing finds expected index rows that are missing.
func (c *checker) missing() error {
	if c.expected == ([store.Spaces]uint64{}) {
		return nil
	}
	return c.each(store.Records, func(row store.Row) error {
		r, err := store.DecodeRecord(row.Value)
		if err != nil || r.ID != schemas.ID(store.LastNumber(row.Key)) {
			return nil //nolint:nilerr // records reported it
		}
		for _, e := range store.Entries(r) {
			if c.expected[e.Space] == 0 {
				continue
			}
			value, err := c.Rows().Get(e.Space, e.Key)
			if err != nil {
				return err
			}
			if value == nil || !bytes.Equal(value, e.Value) {
				c.mendf(put(e.Space, e.Key, e.Value), "%s lacks its row in %s", r.ID, e.Space)
			}
		}
		return nil
	})
}

// extra finds index rows that no record expects. Rows of a record that cannot be read may be right, so they are
// skipped.
func (c *checker) extra() error {
	for _, space := range indexSpaces {
		if c.expected[space] == 0 {
			continue
		}
		err := c.each(space, func(row store.Row) error {
			id := schemas.ID(store.LastNumber(row.Key))
			b, err := c.Rows().Get(store.Records, store.Number(id))
			if err != nil {
				return err
			}
			r, _ := store.DecodeRecord(b) // nil if it cannot be read
			switch {
			case b != nil && (r == nil || r.ID != id):
			case b == nil || !slices.ContainsFunc(store.Entries(r), store.Entry{Space: space, Key: row.Key}.Same):
				c.mendf(drop(space, row.Key), "%s has a row for %s that its record does not ask for", space, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unread checks that unread notices exist, and counts them.
func (c *checker) unread() error {
	return c.each(store.Unread, func(row store.Row) error {
		kept, err := c.Rows().Get(store.Notices, row.Key)
		if err != nil {
			return err
		}
		id := schemas.NoticeID(store.LastNumber(row.Key))
		var notice schemas.Notice
		if kept == nil {
			c.mendf(drop(store.Unread, row.Key), "notice %s is unread and missing", id)
			return nil
		}
		if err := schemas.Decode(kept, &notice); err != nil {
			c.addf("notice %s is unread and cannot be read: %v", id, err)
		} else if e := store.UnreadEntry(notice); len(row.Value) > 0 && store.LastNumber(row.Value) != store.LastNumber(e.Value) {
			right := put(store.Unread, row.Key, e.Value)
			c.mendf(right, "notice %s is unread and its row names another handoff", id)
		}
		agent, _, _ := bytes.Cut(row.Key, []byte{0})
		c.counted.Add(store.Box{Address: schemas.Address(agent), Mailbox: store.Mailbox{Unread: 1}})
		return nil
	})
}

// counters compares the counts of this check with the stored counters.
func (c *checker) counters() error {
	maps.DeleteFunc(c.counted, func(_ schemas.Address, holds store.Mailbox) bool { return holds == store.Mailbox{} })
	err := c.each(store.Mailboxes, func(row store.Row) error {
		c.counted.Add(store.Box{Address: schemas.Address(row.Key)})
		return nil
	})
	if err != nil {
		return err
	}
	for _, box := range slices.Sorted(maps.Keys(c.counted)) {
		b, err := c.Rows().Get(store.Mailboxes, []byte(box))
		if err != nil {
			return err
		}
		holds := c.counted[box]
		if holds != (store.Mailbox{}) && bytes.Equal(b, holds.Encode()) {
			continue
		}
		right := put(store.Mailboxes, []byte(box), holds.Encode())
		if holds == (store.Mailbox{}) {
			right = drop(store.Mailboxes, []byte(box))
		}
		kept, _ := store.DecodeMailbox(b) // zeros when they cannot be read
		c.mendf(right, "mailbox %s is counted as %+v and holds %+v", box, kept, holds)
	}
	return nil
}
