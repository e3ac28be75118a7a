package schemas

import "time"

// TokenAddIn holds the arguments of the administrative tool token_add, which adds a bearer token for callers over a
// network. The caller keeps the secret of the token, and the store gets only the hash of it. Rate is the number of
// requests a second that the token allows. Pending is [Caller].MaxPending of the calls with this token.
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

// TokenFindIn asks for the token whose secret has this hash. With an empty hash it only asks whether callers need a
// token at all.
type TokenFindIn struct {
	Hash string `json:"hash,omitempty" jsonschema:"maxLength=64"`
}

// TokenFindOut holds the token with the hash, even if it was revoked or has expired. It is nil if no token has this
// hash.
type TokenFindOut struct {
	Token *Token `json:"token,omitempty"`

	// Needed tells that the store has a token, even a revoked or expired one. Then the server refuses callers without a
	// token.
	Needed bool `json:"needed"`
}
