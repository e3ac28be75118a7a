package audit

import (
	"strings"

	"handoff/store"
)

// tokens checks that names and hashes lead to each other. Where a token and the only hash that leads to it disagree,
// nothing tells which of both is right.
func (c *checker) tokens() error {
	led := map[string]int{} // hashes that lead to a token
	for row, err := range c.Rows().Scan(store.Prefix(store.Tokens, []byte("h"))) {
		if err != nil {
			return err
		}
		led[string(row.Value)]++
	}
	return c.each(store.Tokens, func(row store.Row) error {
		hash, found := strings.CutPrefix(string(row.Key), "h")
		if !found {
			c.token(strings.TrimPrefix(string(row.Key), "n"), row, led)
			return nil
		}
		const said = "a hash leads to token %s, which has another"
		t, err := c.Token(string(row.Value))
		switch {
		case err != nil || t == nil:
			c.addf(said, row.Value)
		case t.Hash != hash && c.found(*t):
			c.mendf(drop(store.Tokens, row.Key), said, row.Value)
		case t.Hash != hash:
			c.addf(said, row.Value)
		}
		return nil
	})
}

// found tells whether the hash of a token leads to it.
func (c *checker) found(t store.Token) bool {
	by, err := c.TokenOf(t.Hash)
	return err == nil && by != nil && by.Name == t.Name
}

func (c *checker) token(name string, row store.Row, led map[string]int) {
	t, err := decoded[store.Token](row)
	switch {
	case err != nil:
		c.addf("token %s cannot be read: %v", name, err)
	case t.Name != name:
		c.addf("token %s calls itself %s", name, t.Name)
	case !c.found(t) && led[name] == 0:
		c.mendf(put(store.Tokens, t.HashEntry().Key, []byte(name)), "token %s is not found by its hash", name)
	case !c.found(t):
		c.addf("token %s is not found by its hash", name)
	}
}
