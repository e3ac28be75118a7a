package schemas

import "time"

// AuditIn are the arguments of the administrative tool audit_verify.
type AuditIn struct{}

// AuditOut is what walking the registry showed.
type AuditOut struct {
	Events   uint64   `json:"events"`
	Handoffs uint64   `json:"handoffs"`
	Root     string   `json:"root"` // of the Merkle tree over all events, base64
	OK       bool     `json:"ok"`
	Problems []string `json:"problems,omitempty"` // the first twenty, each naming its event or handoff
}

// ConnIn names a connection that opened or closed.
type ConnIn struct {
	Conn string `json:"conn" jsonschema:"minLength=1,maxLength=64"`

	// Client is the agent name made of what the client calls itself, for a connection that was given no
	// name. It gets that name, or a numbered one while another live connection has it.
	Client Agent `json:"client,omitempty"`

	// Process is the client's process as the shells that it starts know it, such as its number. It is only
	// compared. Empty for a client whose shells do not know it.
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"`

	// Unused tells of a connection that closes that nothing was asked for over it: neither to write nor to read.
	Unused bool `json:"unused,omitempty"`
}

// ConnOut says under which name a connection acts, and lists the handoffs that one which closed still held.
type ConnOut struct {
	Agent   Agent `json:"agent,omitempty"`
	Holding []ID  `json:"holding,omitempty"`
}

// SessionIn names a session by what its client calls it, as a shell that it started knows.
type SessionIn struct {
	Client  Agent  `json:"client"` // see ConnIn
	Session string `json:"session"`
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"` // see ConnIn
}

// SessionOut is the name under which the session acts.
type SessionOut struct {
	Agent Agent `json:"agent"`
}

// NewestIn are the arguments of the administrative tool registry_newest.
type NewestIn struct{}

// NewestOut is where the registry stands: whoever follows changes from there misses nothing after.
type NewestOut struct {
	Event   uint64 `json:"event"`             // number of the newest event, zero for none
	Failing string `json:"failing,omitempty"` // why the last change could not be kept, as on a full disk
}

// TokenAddIn are the arguments of the administrative tool token_add. The secret stays with whoever made it.
type TokenAddIn struct {
	Name    string    `json:"name" jsonschema:"minLength=1,maxLength=64"`  // as that of an agent
	Hash    string    `json:"hash" jsonschema:"minLength=64,maxLength=64"` // SHA-256 of the secret, hexadecimal
	Agents  []Agent   `json:"agents" jsonschema:"minItems=1,maxItems=64"`  // that it may act as, the usual one first
	Scope   Scope     `json:"scope,omitempty" jsonschema:"enum=read,enum=agent,enum=admin"`
	Expires time.Time `json:"expires,omitzero"` // zero for never

	Rate    float64 `json:"rate,omitempty" jsonschema:"minimum=0"`    // requests a second, zero for the server's default
	Pending int     `json:"pending,omitempty" jsonschema:"minimum=0"` // see MaxPending of Caller
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

// StatsIn are the arguments of the administrative tool workspace_stats.
type StatsIn struct{}

// StatsOut counts what is in a workspace, for whoever watches over it.
type StatsOut struct {
	Event     uint64         `json:"event"`     // number of the newest event
	States    map[Status]int `json:"states"`    // handoffs by state
	Mailboxes []MailboxStats `json:"mailboxes"` // at most 200, those with most pending first
	Commits   Latency        `json:"commits"`   // since the owner opened the store
}

// MailboxStats is how much waits in a mailbox, and since when.
type MailboxStats struct {
	Box     Address   `json:"box"`
	Pending int       `json:"pending"`
	Held    int       `json:"held"`
	Unread  int       `json:"unread"`
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest pending one was sent
}

// Latency is a histogram of durations.
type Latency struct {
	Count   uint64   `json:"count"`
	Seconds float64  `json:"seconds"` // in all
	Buckets []uint64 `json:"buckets"` // how many took at most each of LatencyBounds
}

// LatencyBounds are the upper ends of the buckets of a Latency, in seconds.
func LatencyBounds() []float64 {
	return []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5}
}
