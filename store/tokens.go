package store

import (
	"cmp"
	"fmt"
	"iter"

	"handoff/schemas"
)

// Token is the row of a bearer token. Its secret is stored nowhere. A token is never deleted: a revoked token stays,
// with the time at which it was revoked.
//
// It has two rows: one under its name with everything, one under its hash with the name. [Tx.PutToken] writes both;
// package audit finds one without the other. Package auth decides by the fields and the clock whether a token is still
// valid.
type Token struct {
	schemas.Token
	Hash string `json:"hash"` // SHA-256 of the secret, in lower-case hexadecimal; never changes
}

// The keys of tokens begin with a letter for the kind of key.

func tokenByName(name string) []byte { return join([]byte("n"), []byte(name)) }
func tokenByHash(hash string) []byte { return join([]byte("h"), []byte(hash)) }

// HashEntry returns the row that maps the hash of the secret to the name.
func (t Token) HashEntry() Entry { return Entry{Tokens, tokenByHash(t.Hash), []byte(t.Name)} }

// Token returns the token of a name, even a revoked or expired one; nil if there is none.
func (v *View) Token(name string) (*Token, error) {
	return get[Token](v, Tokens, tokenByName(name))
}

// TokenByHash returns the token whose secret has the given hash, also if it is revoked or expired; nil if there is
// none.
//
// It costs two reads. Comparing hashes reveals nothing about the secret by its duration. The error wraps [ErrCorrupt]
// if the two rows of a token disagree: callers must refuse that token.
func (v *View) TokenByHash(hash string) (*Token, error) {
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
	return decoded(v, Prefix(Tokens, tokenByName("")), FromJSON[Token])
}

// PutToken writes a token under its name and its hash. The hash of a name that exists must be the same.
//
// It replaces the row of an existing token, for instance to note that it is revoked. With another hash the row of the
// old hash would stay and name a token that does not have it.
func (t *Tx) PutToken(token Token) error {
	led := token.HashEntry()
	return cmp.Or(t.w.Put(led.Space, led.Key, led.Value), t.putJSON(Tokens, tokenByName(token.Name), token))
}

// tokenBox returns the key of the counter of pending handoffs that were sent with a token. No mailbox has this name.
func tokenBox(name string) schemas.Address { return schemas.Address("token:" + name) }

// PendingWithToken returns the number of pending handoffs that were sent with a token, blocked ones included. It costs
// one read.
//
// Package mailbox compares it before a send with the token's limit of pending handoffs.
func (v *View) PendingWithToken(token string) (int, error) {
	m, err := v.Mailbox(tokenBox(token))
	return m.Pending, err
}
