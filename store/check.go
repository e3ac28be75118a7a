package store

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"handoff/schemas"
)

// maxProblems is how many problems a check reports.
const maxProblems = 20

// Problems are the faults that a check found, at most twenty. Each is a sentence that names the row concerned.
//
// The sentences are for people. There is no problem that this program mends by itself: a copy of the file and a backup
// do.
type Problems []string

func (p *Problems) addf(format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// Check compares all records and tokens with their index rows, both ways, and counts all counters anew. It does so in
// one snapshot, which is kept for the whole time: on a large store it takes seconds, keeps the keys of all index rows
// in memory, and some engines grow meanwhile.
// An error means that the check could not be finished.
//
// It changes nothing. Tests call it after what they did; no server checks its store at each start, because that would
// take longer the more there is. It does not read events and content: [Store.Audit] does.
func (s *Store) Check(ctx context.Context) (problems Problems, err error) {
	err = s.View(ctx, func(v *View) error {
		problems = nil
		c := checker{
			View: v, problems: &problems, tell: ProgressOf(ctx),
			counted: map[schemas.Address]Mailbox{}, asked: map[place]bool{},
		}
		for _, step := range []func() error{c.records, c.indexes, c.unread, c.counters, c.tokens} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return problems, err
}

// checker is one run of a check. Its steps follow one another, because indexes and counters need what records found.
type checker struct {
	*View
	problems *Problems
	tell     Progress
	counted  map[schemas.Address]Mailbox
	asked    map[place]bool // the index rows that belong to a record
}

type place struct {
	space Space
	key   string
}

// records checks that each record has its index rows.
func (c *checker) records() error {
	return c.each(Records, func(row Row) error {
		id := schemas.ID(lastNumber(row.Key))
		r, err := decodeRecord(row.Value)
		if err != nil {
			c.problems.addf("the record of %s cannot be read: %v", id, err)
			return nil
		}
		if r.ID != id {
			c.problems.addf("the record of %s calls itself %s", id, r.ID)
		}
		for _, s := range shares(r) {
			c.countIn(s.box, s.of)
		}
		return c.entries(r)
	})
}

// each calls fn with every row of a space.
//
// The row is valid until fn returns. An error of fn ends the walk.
func (c *checker) each(space Space, fn func(Row) error) error {
	n := uint64(0)
	_, err := c.upTo(math.MaxInt, Range{Space: space}, func(_ *View, row Row) error {
		if n++; n%slice == 0 {
			c.tell(space.String(), n, 0)
		}
		return fn(row)
	})
	return err
}

// entries checks that a record has each of its index rows, with the value that belongs to it, and notes their keys for
// indexes.
func (c *checker) entries(r *Record) error {
	for _, e := range Entries(r) {
		value, err := c.r.Get(e.Space, e.Key)
		if err != nil {
			return err
		}
		if value == nil || !bytes.Equal(value, e.Value) {
			c.problems.addf("%s lacks its row in %s", r.ID, e.Space)
		}
		c.asked[place{e.Space, string(e.Key)}] = true
	}
	return nil
}

func (c *checker) countIn(box schemas.Address, by Mailbox) {
	m := c.counted[box]
	m.add(by)
	c.counted[box] = m
}

// indexSpaces are the spaces of [Entries].
var indexSpaces = []Space{Ready, Wakes, ByBox, BySender, ByHolder, ByWorkflow, ByState, ByParent, ByOrigin, ByAfter, ByFreed}

// indexes checks that each index row belongs to a record.
func (c *checker) indexes() error {
	for _, space := range indexSpaces {
		err := c.each(space, func(row Row) error {
			if !c.asked[place{space, string(row.Key)}] {
				id := schemas.ID(lastNumber(row.Key))
				c.problems.addf("%s has a row for %s that its record does not ask for", space, id)
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
	return c.each(Unread, func(row Row) error {
		kept, err := c.r.Get(Notices, row.Key)
		if err != nil {
			return err
		}
		if wrong := wrongUnread(kept, row.Value); wrong != "" {
			c.problems.addf("notice %s is unread and %s", schemas.NoticeID(lastNumber(row.Key)), wrong)
		}
		agent, _, _ := bytes.Cut(row.Key, []byte{0})
		c.countIn(schemas.Address(agent), Mailbox{Unread: 1})
		return nil
	})
}

// wrongUnread says what is wrong with a kept notice, or with the handoff that its row of the unread names.
func wrongUnread(kept, about []byte) string {
	if kept == nil {
		return "missing"
	}
	var notice schemas.Notice
	if err := schemas.Decode(kept, &notice); err != nil {
		return "cannot be read: " + err.Error()
	}
	if len(about) > 0 && schemas.ID(lastNumber(about)) != readWith(notice) {
		return "its row names another handoff"
	}
	return ""
}

// counters compares the counts of this check with the counters in the store.
func (c *checker) counters() error {
	boxes := map[schemas.Address]bool{}
	for box, m := range c.counted {
		boxes[box] = m != (Mailbox{})
	}
	err := c.each(Mailboxes, func(row Row) error {
		boxes[schemas.Address(row.Key)] = true
		return nil
	})
	if err != nil {
		return err
	}
	maps.DeleteFunc(boxes, func(_ schemas.Address, holds bool) bool { return !holds })
	for _, box := range slices.Sorted(maps.Keys(boxes)) {
		b, err := c.r.Get(Mailboxes, []byte(box))
		if err != nil {
			return err
		}
		if holds := c.counted[box]; holds == (Mailbox{}) || !bytes.Equal(b, encodeMailbox(holds)) {
			kept, _ := decodeMailbox(b) // zeros when they cannot be read
			c.problems.addf("mailbox %s is counted as %+v and holds %+v", box, kept, holds)
		}
	}
	return nil
}
