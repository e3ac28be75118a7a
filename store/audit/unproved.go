package audit

import (
	"bytes"
	"encoding/json"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// unprovenSteps returns the checks of rows that no event proves. The store has little to compare these rows with, so
// hardly any of their faults can be mended.
func (c *checker) unprovenSteps() []func() error {
	return []func() error{c.tokens, c.agents, c.rules, c.workflows, c.notices, c.receipts, c.orphanWords, c.numbers}
}

// agents checks that each card has the name of its row.
func (c *checker) agents() error {
	return c.each(store.Agents, func(row store.Row) error {
		switch a, err := store.FromJSON[store.Agent](row); {
		case err != nil:
			c.addf("agent %s cannot be read: %v", row.Key, err)
		case string(a.Card.Name) != string(row.Key):
			c.addf("agent %s calls itself %s", row.Key, a.Card.Name)
		}
		return nil
	})
}

// rules checks that the declarations of files can be read.
func (c *checker) rules() error {
	return c.each(store.Rules, func(row store.Row) error {
		if _, err := store.FromJSON[store.DeclaredRules](row); err != nil {
			c.addf("rules of %s cannot be read: %v", row.Key, err)
		}
		return nil
	})
}

// workflows checks that each workflow has an owner and a handoff. It relies on the index of handoffs by workflow, so it
// runs only if the check of that index found no fault.
func (c *checker) workflows() error {
	if c.expected[store.ByWorkflow] != 0 {
		return nil
	}
	err := c.each(store.Workflows, func(row store.Row) error {
		w, err := store.FromJSON[store.Workflow](row)
		if err != nil || w.Owner == "" {
			c.addf("workflow %s cannot be read: %v", row.Key, err)
			return nil
		}
		for _, err := range c.Oldest(store.InWorkflow(schemas.Workflow(row.Key)), 0) {
			return err
		}
		c.addf("workflow %s has no handoff", row.Key)
		return nil
	})
	if err != nil {
		return err
	}
	var last []byte
	return c.each(store.ByWorkflow, func(row store.Row) error {
		wf, _, _ := bytes.Cut(row.Key, []byte{0})
		if last != nil && bytes.Equal(wf, last) {
			return nil
		}
		last = append([]byte{}, wf...)
		owned, err := c.Rows().Get(store.Workflows, wf)
		if err == nil && owned == nil {
			c.addf("workflow %s has handoffs, and nothing tells its owner", wf)
		}
		return err
	})
}

// notices checks that each notice lies under the key of its reader, and that its handoff exists.
func (c *checker) notices() error {
	highest := schemas.NoticeID(0)
	err := c.each(store.Notices, func(row store.Row) error {
		id := schemas.NoticeID(store.LastNumber(row.Key))
		highest = max(highest, id)
		n, err := store.FromJSON[schemas.Notice](row)
		switch {
		case err != nil:
			c.addf("notice %s cannot be read: %v", id, err)
		case !bytes.Equal(row.Key, store.UnreadEntry(n).Key):
			c.addf("notice %s calls itself %s to %s", id, n.ID, n.To)
		case n.About > c.last:
			c.addf("notice %s tells of %s, which is missing", id, n.About)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.checkNextNumber(store.Notices, uint64(highest))
}

// receipts checks that each receipt can be decoded.
func (c *checker) receipts() error {
	return c.each(store.Receipts, func(row store.Row) error {
		of := "of a request"
		if bytes.HasPrefix(row.Key, []byte("k")) {
			from, _, _ := bytes.Cut(row.Key[1:], []byte{0})
			of = "of a key of " + string(from)
		}
		r, err := store.DecodeReceipt(row.Value)
		if err != nil || !json.Valid(r.Result) || row.Key[0] != 'k' && row.Key[0] != 'r' {
			c.addf("a receipt %s cannot be read", of)
		}
		return nil
	})
}

// orphanWords finds words of missing handoffs.
func (c *checker) orphanWords() error {
	return c.each(store.Words, func(row store.Row) error {
		kept, err := c.Rows().Get(store.Records, row.Key)
		if err == nil && kept == nil {
			c.mendf(drop(store.Words, row.Key), "there are words of %s, which is missing", schemas.ID(store.LastNumber(row.Key)))
		}
		return err
	})
}

// numbers checks that the id of the next handoff is a new one.
func (c *checker) numbers() error { return c.checkNextNumber(store.Records, uint64(c.last)) }

// checkNextNumber checks that the next number of a space is a new one.
func (c *checker) checkNextNumber(space store.Space, highest uint64) error {
	key := store.NextKey(space)
	b, err := c.Rows().Get(store.Sys, key)
	if err == nil && highest > 0 && (len(b) != 8 || store.LastNumber(b) < highest) {
		c.mendf(put(store.Sys, key, store.Number(highest)), "the next number of %s would be one that was given: %d is the last", space, highest)
	}
	return err
}

// tokens checks that names and hashes lead to each other. If a token and the only hash for it disagree, it is unknown
// which one is right.
func (c *checker) tokens() error {
	led := map[string]int{} // hashes that lead to a token
	err := c.Each(store.Prefix(store.Tokens, []byte("h")), func(row store.Row) error {
		led[string(row.Value)]++
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(store.Tokens, func(row store.Row) error {
		hash, found := strings.CutPrefix(string(row.Key), "h")
		if !found {
			c.token(strings.TrimPrefix(string(row.Key), "n"), row, led)
			return nil
		}
		const text = "a hash leads to token %s, which has another"
		t, err := c.Token(string(row.Value))
		switch {
		case err != nil || t == nil:
			c.addf(text, row.Value)
		case t.Hash != hash && c.hashLeadsTo(*t):
			c.mendf(drop(store.Tokens, row.Key), text, row.Value)
		case t.Hash != hash:
			c.addf(text, row.Value)
		}
		return nil
	})
}

// hashLeadsTo reports whether the hash of a token leads to it.
func (c *checker) hashLeadsTo(t store.Token) bool {
	by, err := c.TokenByHash(t.Hash)
	return err == nil && by != nil && by.Name == t.Name
}

func (c *checker) token(name string, row store.Row, led map[string]int) {
	t, err := store.FromJSON[store.Token](row)
	switch {
	case err != nil:
		c.addf("token %s cannot be read: %v", name, err)
	case t.Name != name:
		c.addf("token %s calls itself %s", name, t.Name)
	case !c.hashLeadsTo(t) && led[name] == 0:
		c.mendf(put(store.Tokens, t.HashEntry().Key, []byte(name)), "token %s is not found by its hash", name)
	case !c.hashLeadsTo(t):
		c.addf("token %s is not found by its hash", name)
	}
}
