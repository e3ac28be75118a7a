package store

import (
	"cmp"
	"fmt"
	"iter"

	"handoff/schemas"
)

// Token is the row of a bearer token. The secret is stored nowhere. A token is never deleted: a revoked token keeps the
// time at which it was revoked.
//
// A token has two rows: the token under its name, and the name under the hash of the secret. [RowTx.PutToken] writes
// both rows. Package auth decides whether a token is still valid.
type Token struct {
	schemas.Token
	Hash string `json:"hash"` // SHA-256 of the secret, in lower-case hexadecimal; never changes
}

// The keys of tokens begin with a letter for the kind of key.

func tokenNameKey(name string) []byte { return joinBytes([]byte("n"), []byte(name)) }
func tokenHashKey(hash string) []byte { return joinBytes([]byte("h"), []byte(hash)) }

// HashRow returns the row that maps the hash of the secret to the name.
func (t Token) HashRow() IndexRow { return IndexRow{Tokens, tokenHashKey(t.Hash), []byte(t.Name)} }

// Token returns the token of a name, nil if there is none. The token may be revoked or expired.
func (v *View) Token(name string) (*Token, error) {
	return getJSON[Token](v, Tokens, tokenNameKey(name))
}

// TokenByHash returns the token whose secret has the given hash, nil if there is none. The token may be revoked or
// expired. The error wraps [ErrCorrupt] if the two rows of a token disagree. Then callers must refuse the token.
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

// PutToken writes both rows of a token, and replaces an existing token of the name. The hash of an existing token must
// stay the same, because PutToken does not delete the row of another hash.
func (t *RowTx) PutToken(token Token) error {
	led := token.HashRow()
	return cmp.Or(t.w.Put(led.Space, led.Key, led.Value), t.putJSON(Tokens, tokenNameKey(token.Name), token))
}

// tokenCounterKey returns the key of a token's counters in the space mailboxes. No mailbox has this address.
func tokenCounterKey(name string) schemas.Address { return schemas.Address("token:" + name) }

// PendingSentWithToken returns the number of pending handoffs that were sent with a token, including blocked handoffs.
// Package mailbox compares this number with the token's limit before a send.
func (v *View) PendingSentWithToken(token string) (int, error) {
	m, err := v.Counters(tokenCounterKey(token))
	return m.Pending, err
}
