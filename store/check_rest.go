package store

import (
	"bytes"
	"encoding/json"

	"handoff/schemas"
)

// What follows is held against little: no event tells what these rows have to be. So hardly anything of it can be
// mended.

// agents checks that each card is that of its name.
func (c *checker) agents() error {
	return c.each(Agents, func(row Row) error {
		switch a, err := fromJSON[Agent](row); {
		case err != nil:
			c.addf("agent %s cannot be read: %v", row.Key, err)
		case string(a.Card.Name) != string(row.Key):
			c.addf("agent %s calls itself %s", row.Key, a.Card.Name)
		}
		return nil
	})
}

// rules checks that what files declare can be read.
func (c *checker) rules() error {
	return c.each(Rules, func(row Row) error {
		if _, err := fromJSON[DeclaredRules](row); err != nil {
			c.addf("rules of %s cannot be read: %v", row.Key, err)
		}
		return nil
	})
}

// workflows checks that each workflow has an owner and a handoff. It believes the index, so that one has to be right.
func (c *checker) workflows() error {
	if c.asked[ByWorkflow] != 0 {
		return nil
	}
	err := c.each(Workflows, func(row Row) error {
		w, err := fromJSON[Workflow](row)
		if err != nil || w.Owner == "" {
			c.addf("workflow %s cannot be read: %v", row.Key, err)
			return nil
		}
		for _, err := range c.r.Scan(Prefix(ByWorkflow, word(string(row.Key)))) {
			return err
		}
		c.addf("workflow %s has no handoff", row.Key)
		return nil
	})
	if err != nil {
		return err
	}
	for wf, err := range c.groups(Range{Space: ByWorkflow}, firstWord) {
		if err != nil {
			return err
		}
		row, err := c.r.Get(Workflows, bytes.TrimSuffix(wf, []byte{0}))
		if err != nil {
			return err
		}
		if row == nil && len(wf) > 0 {
			c.addf("workflow %s has handoffs, and nothing tells its owner", bytes.TrimSuffix(wf, []byte{0}))
		}
	}
	return nil
}

// notices checks that each notice lies where its reader looks for it, and tells of a handoff that there is.
func (c *checker) notices() error {
	highest := schemas.NoticeID(0)
	err := c.each(Notices, func(row Row) error {
		id := schemas.NoticeID(lastNumber(row.Key))
		highest = max(highest, id)
		n, err := fromJSON[schemas.Notice](row)
		switch {
		case err != nil:
			c.addf("notice %s cannot be read: %v", id, err)
		case !bytes.Equal(row.Key, noticeKey(n.To, n.ID)):
			c.addf("notice %s calls itself %s to %s", id, n.ID, n.To)
		case n.About > c.last:
			c.addf("notice %s tells of %s, which is missing", id, n.About)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.nextNumber(Notices, uint64(highest))
}

// receipts checks that each receipt has the form of one, and that of a send leads to a handoff.
func (c *checker) receipts() error {
	return c.each(Receipts, func(row Row) error {
		of := "of a request"
		if bytes.HasPrefix(row.Key, []byte("k")) {
			from, _, _ := bytes.Cut(row.Key[1:], []byte{0})
			of = "of a key of " + string(from)
		}
		r, err := c.Receipt(row.Key)
		if err != nil || !json.Valid(r.Result) || row.Key[0] != 'k' && row.Key[0] != 'r' {
			c.addf("a receipt %s cannot be read", of)
		}
		return nil
	})
}

// wordless finds words of handoffs that there are not.
func (c *checker) wordless() error {
	return c.each(Words, func(row Row) error {
		kept, err := c.r.Get(Records, row.Key)
		if err == nil && kept == nil {
			c.mendf(drop(Words, row.Key), "there are words of %s, which is missing", schemas.ID(lastNumber(row.Key)))
		}
		return err
	})
}

// numbers checks that the id of the next handoff is a new one.
func (c *checker) numbers() error { return c.nextNumber(Records, uint64(c.last)) }

// nextNumber checks that the next number of a space is none that was given.
func (c *checker) nextNumber(space Space, highest uint64) error {
	key := nextKey(space)
	b, err := c.r.Get(Sys, key)
	if err == nil && highest > 0 && (len(b) != 8 || lastNumber(b) < highest) {
		c.mendf(put(Sys, key, number(highest)), "the next number of %s would be one that was given: %d is the last", space, highest)
	}
	return err
}
