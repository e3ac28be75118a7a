package schemas

import "time"

// TokenAddIn holds the arguments of the administrative tool token_add, for callers over a network. The caller keeps
// the secret, and the store has only the hash. Rate is in requests a second. Pending is MaxPending of [Caller].
type TokenAddIn struct {
	Name    string    `json:"name" jsonschema:"minLength=1,maxLength=64"`  // in the form of an agent name
	Hash    string    `json:"hash" jsonschema:"minLength=64,maxLength=64"` // SHA-256 of the secret, hexadecimal
	Agents  []Agent   `json:"agents" jsonschema:"minItems=1,maxItems=64"`  // names that it may act under, the usual one first
	Scope   Scope     `json:"scope,omitempty" jsonschema:"enum=read,enum=agent,enum=admin"`
	Expires time.Time `json:"expires,omitzero"` // zero for never

	Rate    float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1000000000"`    // requests a second, zero for the server's default
	Pending int     `json:"pending,omitempty" jsonschema:"minimum=0,maximum=1000000000"` // see MaxPending of Caller
}

// Token is the stored data of a bearer token, without its hash.
type Token struct {
	Name    string     `json:"name"`
	Agents  []Agent    `json:"agents"`
	Scope   Scope      `json:"scope"`
	Created time.Time  `json:"created_at"`
	Expires *time.Time `json:"expires_at,omitempty"`
	Revoked *time.Time `json:"revoked_at,omitempty"`
	Rate    float64    `json:"rate,omitempty"`
	Pending int        `json:"pending,omitempty"`
}

// TokenAddOut is the new token.
type TokenAddOut struct {
	Token Token `json:"token"`
}

// TokenListIn holds the arguments of the administrative tool token_list.
type TokenListIn struct{}

// TokenListOut lists all tokens by name, also revoked and expired ones.
type TokenListOut struct {
	Tokens []Token `json:"tokens"`
}

// TokenRevokeIn names the token to revoke.
type TokenRevokeIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

// TokenRevokeOut is the token in its new state.
type TokenRevokeOut struct {
	Token Token `json:"token"`
}

// TokenFindIn asks for the token of a secret by its hash. An empty hash only asks whether callers need a token.
type TokenFindIn struct {
	Hash string `json:"hash,omitempty" jsonschema:"maxLength=64"`
}

// TokenFindOut is the token of the hash, also a revoked or expired one. It is nil for an unknown hash.
type TokenFindOut struct {
	Token *Token `json:"token,omitempty"`

	// Needed tells that a token exists, even a revoked or expired one: then no caller is served without a token.
	Needed bool `json:"needed"`
}
