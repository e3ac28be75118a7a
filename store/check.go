package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"handoff/schemas"
)

// maxProblems is how many problems a check reports.
const maxProblems = 20

// Problems are the faults that a check found, at most twenty. Each is a sentence that names the row concerned.
type Problems []string

func (p *Problems) addf(format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// Check compares all records and tokens with their index rows, both ways, and counts all counters anew. It does so in
// one snapshot, which is kept for the whole time: on a large store it takes seconds, and some engines grow meanwhile.
// An error means that the check could not be finished.
func (s *Store) Check(ctx context.Context) (problems Problems, err error) {
	err = s.View(ctx, func(v *View) error {
		problems = nil
		c := checker{View: v, problems: &problems, counted: map[schemas.Address]Mailbox{}}
		for _, step := range []func() error{c.records, c.indexes, c.unread, c.counters, c.tokens} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return problems, err
}

type checker struct {
	*View
	problems *Problems
	counted  map[schemas.Address]Mailbox
	found    [Spaces]int // number of index rows that belong to a record and are there
}

// records checks that each record has its index rows.
func (c *checker) records() error {
	for row, err := range c.r.Scan(Range{Space: Records}) {
		if err != nil {
			return err
		}
		id := schemas.ID(lastNumber(row.Key))
		r, err := decodeRecord(row.Value)
		if err != nil {
			c.problems.addf("the record of %s cannot be read: %v", id, err)
			continue
		}
		if r.ID != id {
			c.problems.addf("the record of %s calls itself %s", id, r.ID)
		}
		if err := c.entries(r); err != nil {
			return err
		}
		for _, s := range shares(r) {
			c.countIn(s.box, s.of)
		}
	}
	return nil
}

func (c *checker) entries(r *Record) error {
	for _, e := range Entries(r) {
		value, err := c.r.Get(e.Space, e.Key)
		if err != nil {
			return err
		}
		if value == nil || !bytes.Equal(value, e.Value) {
			c.problems.addf("%s lacks its row in %s", r.ID, e.Space)
		}
		if value != nil {
			c.found[e.Space]++
		}
	}
	return nil
}

func (c *checker) countIn(box schemas.Address, by Mailbox) {
	m := c.counted[box]
	m.add(by)
	c.counted[box] = m
}

// indexSpaces are the spaces of [Entries].
var indexSpaces = []Space{Ready, Wakes, ByBox, BySender, ByHolder, ByWorkflow, ByState, ByParent, ByOrigin, ByAfter}

// indexes checks that each index row belongs to a record. None is left over in a space with as many rows as entries
// found.
func (c *checker) indexes() error {
	for _, space := range indexSpaces {
		n := 0
		for _, err := range c.r.Scan(Range{Space: space}) {
			if err != nil {
				return err
			}
			n++
		}
		if n == c.found[space] {
			continue
		}
		if err := c.leftOver(space); err != nil {
			return err
		}
	}
	return nil
}

// leftOver reports the rows of an index that belong to no record.
func (c *checker) leftOver(space Space) error {
	for row, err := range c.r.Scan(Range{Space: space}) {
		if err != nil {
			return err
		}
		id := schemas.ID(lastNumber(row.Key))
		b, err := c.r.Get(Records, number(id))
		if err != nil {
			return err
		}
		r, err := decodeRecord(b)
		if err != nil || indexOf(Entries(r), Entry{Space: space, Key: row.Key}) < 0 {
			c.problems.addf("%s has a row for %s that its record does not ask for", space, id)
		}
	}
	return nil
}

// unread checks that unread notices exist, and counts them.
func (c *checker) unread() error {
	for row, err := range c.r.Scan(Range{Space: Unread}) {
		if err != nil {
			return err
		}
		notice, err := c.r.Get(Notices, row.Key)
		if err != nil {
			return err
		}
		if notice == nil {
			c.problems.addf("notice %s is unread and missing", schemas.NoticeID(lastNumber(row.Key)))
		}
		agent, _, _ := bytes.Cut(row.Key, []byte{0})
		c.countIn(schemas.Address(agent), Mailbox{Unread: 1})
	}
	return nil
}

// counters compares the counts of this check with the counters in the store.
func (c *checker) counters() error {
	boxes := map[schemas.Address]bool{}
	for box, m := range c.counted {
		boxes[box] = m != (Mailbox{})
	}
	for row, err := range c.r.Scan(Range{Space: Mailboxes}) {
		if err != nil {
			return err
		}
		boxes[schemas.Address(row.Key)] = true
	}
	for _, box := range sorted(boxes) {
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

func sorted(boxes map[schemas.Address]bool) (names []schemas.Address) {
	for box, interesting := range boxes {
		if interesting {
			names = append(names, box)
		}
	}
	slices.Sort(names)
	return names
}
