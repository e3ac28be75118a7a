package store

import (
	"fmt"
	"iter"
	"strings"

	"handoff/schemas"
)

// Token is the row of a bearer token. Its secret is kept nowhere. A token is never deleted: a revoked one says so.
//
// It has two rows: one under its name with everything, one under its hash with the name. [Tx.PutToken] writes both;
// [Store.Check] finds one without the other. Whether a token is still good is decided above, by its fields and the
// clock.
type Token struct {
	schemas.Token
	Hash string `json:"hash"` // SHA-256 of the secret, in lower-case hexadecimal; never changes
}

// The keys of tokens begin with a letter that says by what they are found.
func tokenByName(name string) []byte { return join([]byte("n"), []byte(name)) }
func tokenByHash(hash string) []byte { return join([]byte("h"), []byte(hash)) }

// Token returns a token, also one that is revoked or expired; nil when there is none of that name.
func (v *View) Token(name string) (*Token, error) {
	return get[Token](v, Tokens, tokenByName(name))
}

// TokenOf returns the token whose secret has the given hash, also one that is revoked or expired; nil when there is
// none.
//
// It costs two reads. Comparing hashes tells nothing about the secret by the time that it takes. The error wraps
// [ErrCorrupt] when the two rows of a token disagree: such a token lets nobody in.
func (v *View) TokenOf(hash string) (*Token, error) {
	name, err := v.r.Get(Tokens, tokenByHash(hash))
	if name == nil || err != nil {
		return nil, err
	}
	t, err := v.Token(string(name))
	if err == nil && (t == nil || t.Hash != hash) {
		return nil, fmt.Errorf("token %s has another hash than that which led to it: %w", name, ErrCorrupt)
	}
	return t, err
}

// Tokens yields all tokens by name.
func (v *View) Tokens() iter.Seq2[Token, error] {
	return decoded(v, Prefix(Tokens, tokenByName("")), fromJSON[Token])
}

// PutToken writes a token under its name and its hash. The hash of a name that exists must be the same.
//
// It replaces the row of a token that exists, for instance to note that it is revoked. With another hash the row of the
// old hash would stay and lead to a token that does not have it.
func (t *Tx) PutToken(token Token) error {
	if err := t.w.Put(Tokens, tokenByHash(token.Hash), []byte(token.Name)); err != nil {
		return err
	}
	return t.putJSON(Tokens, tokenByName(token.Name), token)
}

// tokenBox is the name under which pending handoffs that were sent with a token are counted. No mailbox has such a
// name.
func tokenBox(name string) schemas.Address { return schemas.Address("token:" + name) }

// PendingOf returns how many handoffs that were sent with a token are pending, blocked ones included. It costs one
// read.
//
// Package mailbox compares it with the limit that a token may have pending, before a send.
func (v *View) PendingOf(token string) (int, error) {
	m, err := v.Mailbox(tokenBox(token))
	return m.Pending, err
}

// tokens checks that names and hashes lead to each other. Where a token and the only hash that leads to it disagree,
// nothing tells which of both is right.
func (c *checker) tokens() error {
	led := map[string]int{} // hashes that lead to a token
	for row, err := range c.r.Scan(Prefix(Tokens, tokenByHash(""))) {
		if err != nil {
			return err
		}
		led[string(row.Value)]++
	}
	return c.each(Tokens, func(row Row) error {
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
			c.mendf(drop(Tokens, row.Key), said, row.Value)
		case t.Hash != hash:
			c.addf(said, row.Value)
		}
		return nil
	})
}

// found tells whether the hash of a token leads to it.
func (c *checker) found(t Token) bool {
	by, err := c.TokenOf(t.Hash)
	return err == nil && by != nil && by.Name == t.Name
}

func (c *checker) token(name string, row Row, led map[string]int) {
	t, err := fromJSON[Token](row)
	switch {
	case err != nil:
		c.addf("token %s cannot be read: %v", name, err)
	case t.Name != name:
		c.addf("token %s calls itself %s", name, t.Name)
	case !c.found(t) && led[name] == 0:
		c.mendf(put(Tokens, tokenByHash(t.Hash), []byte(name)), "token %s is not found by its hash", name)
	case !c.found(t):
		c.addf("token %s is not found by its hash", name)
	}
}
