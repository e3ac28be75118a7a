package audit

import (
	"bytes"
	"encoding/json"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// checkAgent checks that a card has the name of its row.
func (c *checker) checkAgent(row store.Row) error {
	switch a, err := store.DecodeJSONRow[store.Agent](row); {
	case err != nil:
		c.addFault("agent %s cannot be read: %v", row.Key, err)
	case string(a.Card.Name) != string(row.Key):
		c.addFault("agent %s calls itself %s", row.Key, a.Card.Name)
	}
	return nil
}

// checkDeclaredRule checks that the declarations of a file can be read.
func (c *checker) checkDeclaredRule(row store.Row) error {
	if _, err := store.DecodeJSONRow[store.DeclaredRules](row); err != nil {
		c.addFault("rules of %s cannot be read: %v", row.Key, err)
	}
	return nil
}

// checkWorkflows checks that each workflow has an owner and a handoff. It runs only if the index of handoffs by
// workflow has no fault, because it reads that index.
func (c *checker) checkWorkflows() error {
	if c.expected[store.ByWorkflow] != 0 {
		return nil
	}
	err := c.eachRow(store.Workflows, func(row store.Row) error {
		w, err := store.DecodeJSONRow[store.Workflow](row)
		if err != nil || w.Owner == "" {
			c.addFault("workflow %s cannot be read: %v", row.Key, err)
			return nil
		}
		for _, err := range c.OldestFirst(store.IndexByWorkflow(schemas.Workflow(row.Key)), 0) {
			return err
		}
		c.addFault("workflow %s has no handoff", row.Key)
		return nil
	})
	if err != nil {
		return err
	}
	var last []byte
	return c.eachRow(store.ByWorkflow, func(row store.Row) error {
		wf, _, _ := bytes.Cut(row.Key, []byte{0})
		if last != nil && bytes.Equal(wf, last) {
			return nil
		}
		last = append([]byte{}, wf...)
		owned, err := c.RawRows().Get(store.Workflows, wf)
		if err == nil && owned == nil {
			c.addFault("workflow %s has handoffs, and nothing tells its owner", wf)
		}
		return err
	})
}

// checkNotice checks that the key of a notice names its recipient, and that the handoff of the notice exists.
func (c *checker) checkNotice(row store.Row) error {
	id := schemas.NoticeID(store.DecodeLastNumber(row.Key))
	c.notice = max(c.notice, id)
	n, err := store.DecodeJSONRow[schemas.Notice](row)
	switch {
	case err != nil:
		c.addFault("notice %s cannot be read: %v", id, err)
	case !bytes.Equal(row.Key, store.UnreadRow(n).Key):
		c.addFault("notice %s calls itself %s to %s", id, n.ID, n.To)
	case n.About > c.last:
		c.addFault("notice %s tells of %s, which is missing", id, n.About)
	}
	return nil
}

// checkNextNoticeID checks that the id of the next notice is a new one.
func (c *checker) checkNextNoticeID() error {
	return c.checkNextNumber(store.Notices, uint64(c.notice))
}

// checkReceipt checks that a receipt can be decoded.
func (c *checker) checkReceipt(row store.Row) error {
	of := "of a request"
	if bytes.HasPrefix(row.Key, []byte("k")) {
		from, _, _ := bytes.Cut(row.Key[1:], []byte{0})
		of = "of a key of " + string(from)
	}
	r, err := store.DecodeReceipt(row.Value)
	if err != nil || !json.Valid(r.Result) || row.Key[0] != 'k' && row.Key[0] != 'r' {
		c.addFault("a receipt %s cannot be read", of)
	}
	return nil
}

// findOrphanWords finds words of a missing handoff.
func (c *checker) findOrphanWords(row store.Row) error {
	kept, err := c.RawRows().Get(store.Records, row.Key)
	if err == nil && kept == nil {
		c.addMendableFault(deleteFix(store.Words, row.Key), "there are words of %s, which is missing", schemas.ID(store.DecodeLastNumber(row.Key)))
	}
	return err
}

// checkNextHandoffID checks that the id of the next handoff is a new one.
func (c *checker) checkNextHandoffID() error { return c.checkNextNumber(store.Records, uint64(c.last)) }

// checkNextNumber checks that the next number of a space is a new one.
func (c *checker) checkNextNumber(space store.Space, highest uint64) error {
	key := store.NextNumberKey(space)
	b, err := c.RawRows().Get(store.Sys, key)
	if err == nil && highest > 0 && (len(b) != 8 || store.DecodeLastNumber(b) < highest) {
		c.addMendableFault(putFix(store.Sys, key, store.EncodeNumber(highest)), "the next number of %s would be one that was given: %d is the last", space, highest)
	}
	return err
}

// checkTokens checks that the two rows of each token agree: the token under its name, and the name under its hash. If
// they disagree, nobody knows which row is right, so most of these faults cannot be mended.
func (c *checker) checkTokens() error {
	led := map[string]int{} // hashes that lead to a token
	err := c.EachInRange(store.Prefix(store.Tokens, []byte("h")), func(row store.Row) error {
		led[string(row.Value)]++
		return nil
	})
	if err != nil {
		return err
	}
	return c.eachRow(store.Tokens, func(row store.Row) error {
		hash, found := strings.CutPrefix(string(row.Key), "h")
		if !found {
			c.checkToken(strings.TrimPrefix(string(row.Key), "n"), row, led)
			return nil
		}
		const text = "a hash leads to token %s, which has another"
		t, err := c.Token(string(row.Value))
		switch {
		case err != nil || t == nil:
			c.addFault(text, row.Value)
		case t.Hash != hash && c.isFoundByHash(*t):
			c.addMendableFault(deleteFix(store.Tokens, row.Key), text, row.Value)
		case t.Hash != hash:
			c.addFault(text, row.Value)
		}
		return nil
	})
}

// isFoundByHash reports whether the hash of a token leads to it.
func (c *checker) isFoundByHash(t store.Token) bool {
	by, err := c.TokenByHash(t.Hash)
	return err == nil && by != nil && by.Name == t.Name
}

func (c *checker) checkToken(name string, row store.Row, led map[string]int) {
	t, err := store.DecodeJSONRow[store.Token](row)
	switch {
	case err != nil:
		c.addFault("token %s cannot be read: %v", name, err)
	case t.Name != name:
		c.addFault("token %s calls itself %s", name, t.Name)
	case !c.isFoundByHash(t) && led[name] == 0:
		c.addMendableFault(putFix(store.Tokens, t.HashRow().Key, []byte(name)), "token %s is not found by its hash", name)
	case !c.isFoundByHash(t):
		c.addFault("token %s is not found by its hash", name)
	}
}
