package schemas

import "time"

// TokenAddIn are the arguments of the administrative tool token_add, for callers over a network. The secret stays with
// whoever made it, and the store has only the hash. Rate is in requests a second, and Pending as in [Caller].
type TokenAddIn struct {
	Name    string    `json:"name" jsonschema:"minLength=1,maxLength=64"`  // as that of an agent
	Hash    string    `json:"hash" jsonschema:"minLength=64,maxLength=64"` // SHA-256 of the secret, hexadecimal
	Agents  []Agent   `json:"agents" jsonschema:"minItems=1,maxItems=64"`  // that it may act as, the usual one first
	Scope   Scope     `json:"scope,omitempty" jsonschema:"enum=read,enum=agent,enum=admin"`
	Expires time.Time `json:"expires,omitzero"` // zero for never

	Rate    float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1000000000"`    // requests a second, zero for the server's default
	Pending int     `json:"pending,omitempty" jsonschema:"minimum=0,maximum=1000000000"` // see MaxPending of Caller
}

// Token is what is kept of a bearer token, but for its hash.
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

// TokenAddOut is the token that was added.
type TokenAddOut struct {
	Token Token `json:"token"`
}

// TokenListIn are the arguments of the administrative tool token_list.
type TokenListIn struct{}

// TokenListOut lists all tokens by name, also those that are revoked or expired.
type TokenListOut struct {
	Tokens []Token `json:"tokens"`
}

// TokenRevokeIn names the token that is good no more.
type TokenRevokeIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

// TokenRevokeOut is the token as it is now.
type TokenRevokeOut struct {
	Token Token `json:"token"`
}

// TokenFindIn asks whose secret has a hash. An empty one only asks whether a token is needed.
type TokenFindIn struct {
	Hash string `json:"hash,omitempty" jsonschema:"maxLength=64"`
}

// TokenFindOut is the token of the hash, also one that is revoked or expired; nil when there is none.
type TokenFindOut struct {
	Token *Token `json:"token,omitempty"`

	// Needed tells that there is any token, be it revoked or expired: then nobody is served without one.
	Needed bool `json:"needed"`
}
