package store

import (
	"cmp"
	"fmt"
	"iter"

	"handoff/schemas"
)

// Token is the row of a bearer token. Its secret is kept nowhere. A token is never deleted: a revoked one says so.
//
// It has two rows: one under its name with everything, one under its hash with the name. [Tx.PutToken] writes both;
// package audit finds one without the other. Whether a token is still good is decided above, by its fields and the
// clock.
type Token struct {
	schemas.Token
	Hash string `json:"hash"` // SHA-256 of the secret, in lower-case hexadecimal; never changes
}

// The keys of tokens begin with a letter that says by what they are found.
func tokenByName(name string) []byte { return join([]byte("n"), []byte(name)) }
func tokenByHash(hash string) []byte { return join([]byte("h"), []byte(hash)) }

// HashEntry is the row by which the secret of a token leads to it.
func (t Token) HashEntry() Entry { return Entry{Tokens, tokenByHash(t.Hash), []byte(t.Name)} }

// Token returns a token, also one that is revoked or expired; nil when there is none of that name.
func (v *View) Token(name string) (*Token, error) {
	return get[Token](v, Tokens, tokenByName(name))
}

// TokenByHash returns the token whose secret has the given hash, also one that is revoked or expired; nil when there is
// none.
//
// It costs two reads. Comparing hashes tells nothing about the secret by the time that it takes. The error wraps
// [ErrCorrupt] when the two rows of a token disagree: such a token lets nobody in.
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
// It replaces the row of a token that exists, for instance to note that it is revoked. With another hash the row of the
// old hash would stay and lead to a token that does not have it.
func (t *Tx) PutToken(token Token) error {
	led := token.HashEntry()
	return cmp.Or(t.w.Put(led.Space, led.Key, led.Value), t.putJSON(Tokens, tokenByName(token.Name), token))
}

// tokenBox is the name under which pending handoffs that were sent with a token are counted. No mailbox has such a
// name.
func tokenBox(name string) schemas.Address { return schemas.Address("token:" + name) }

// PendingWithToken returns how many handoffs that were sent with a token are pending, blocked ones included. It costs one
// read.
//
// Package mailbox compares it with the limit that a token may have pending, before a send.
func (v *View) PendingWithToken(token string) (int, error) {
	m, err := v.Mailbox(tokenBox(token))
	return m.Pending, err
}
