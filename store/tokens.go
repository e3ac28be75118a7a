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

func tokenNameKey(name string) []byte { return joinBytes([]byte("n"), []byte(name)) }
func tokenHashKey(hash string) []byte { return joinBytes([]byte("h"), []byte(hash)) }

// HashRow returns the row that maps the hash of the secret to the name.
func (t Token) HashRow() IndexRow { return IndexRow{Tokens, tokenHashKey(t.Hash), []byte(t.Name)} }

// Token returns the token of a name, even a revoked or expired one; nil if there is none.
func (v *View) Token(name string) (*Token, error) {
	return getJSON[Token](v, Tokens, tokenNameKey(name))
}

// TokenByHash returns the token whose secret has the given hash, also if it is revoked or expired; nil if there is
// none.
//
// It costs two reads. Comparing hashes reveals nothing about the secret by its duration. The error wraps [ErrCorrupt]
// if the two rows of a token disagree: callers must refuse that token.
func (v *View) TokenByHash(hash string) (*Token, error) {
	name, err := v.r.Get(Tokens, tokenHashKey(hash))
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
	return decodeRows(v, Prefix(Tokens, tokenNameKey("")), DecodeJSONRow[Token])
}

// PutToken writes a token under its name and its hash. The hash of a name that exists must be the same.
//
// It replaces the row of an existing token, for instance to note that it is revoked. With another hash the row of the
// old hash would stay and name a token that does not have it.
func (t *Tx) PutToken(token Token) error {
	led := token.HashRow()
	return cmp.Or(t.w.Put(led.Space, led.Key, led.Value), t.putJSON(Tokens, tokenNameKey(token.Name), token))
}

// tokenCounterKey returns the key of the counter of pending handoffs that were sent with a token. No mailbox has this name.
func tokenCounterKey(name string) schemas.Address { return schemas.Address("token:" + name) }

// PendingSentWithToken returns the number of pending handoffs that were sent with a token, blocked ones included. It costs
// one read.
//
// Package mailbox compares it before a send with the token's limit of pending handoffs.
func (v *View) PendingSentWithToken(token string) (int, error) {
	m, err := v.Counters(tokenCounterKey(token))
	return m.Pending, err
}
