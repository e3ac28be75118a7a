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

	// Parent is the number of the process that opened the connection by starting its server. Zero where none did.
	Parent int `json:"parent,omitempty" jsonschema:"minimum=0"`

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
	Client  Agent  `json:"client"`                                      // see ConnIn
	Session string `json:"session,omitempty"`                           // empty where nothing tells it
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"` // see ConnIn

	// Above are the numbers of the processes above the one that asks, nearest first, among which is the client that
	// opened the connection of the session. Empty where that cannot be seen, as from a sandbox.
	Above []int `json:"above,omitempty" jsonschema:"maxItems=16"`
}

// SessionOut is the name under which the session acts.
type SessionOut struct {
	Agent Agent `json:"agent"`
}

// SessionEvent is what happens in a session when it asks for its news.
type SessionEvent string

// The events of a session. What is delivered at one is marked, so that it is delivered once in a session, but for the
// look.
const (
	OnStart       SessionEvent = "start"   // it begins, or goes on without what it knew: all that matters
	OnMail        SessionEvent = "mail"    // it is spoken to, or works: new mail
	OnStop        SessionEvent = "stop"    // it wants to stop: of what it holds, that of which it was not reminded yet
	OnEnd         SessionEvent = "end"     // it ends: a note is left with what it holds
	OnCompact     SessionEvent = "compact" // it is about to forget: the same
	OnWake        SessionEvent = "wake"    // it sleeps: the handoffs for which it is to wake up
	OnLook        SessionEvent = "look"    // somebody looks: as at the start
	OnUndelivered SessionEvent = "unheard" // a delivery did not reach it, and is to be delivered again
)

// NewsIn are the arguments of the administrative tool session_news. The name under which the session acts is that
// of the caller; without one it is found as session_name does.
type NewsIn struct {
	On      SessionEvent `json:"on" jsonschema:"enum=start,enum=mail,enum=stop,enum=end,enum=compact,enum=wake,enum=look,enum=unheard"`
	Client  Agent        `json:"client,omitempty"`                             // see ConnIn
	Session string       `json:"session,omitempty" jsonschema:"maxLength=128"` // for which it is remembered what was delivered
	Process string       `json:"process,omitempty" jsonschema:"maxLength=64"`  // see ConnIn
	Above   []int        `json:"above,omitempty" jsonschema:"maxItems=16"`     // see SessionIn

	// Follows tells that servers which the client starts know Session or Process: at the start the name is kept
	// for them, since a hook may run before them.
	Follows bool `json:"follows,omitempty"`

	// Subagents are the names of a subagent that wants to stop: then only what was claimed under them counts.
	Subagents []Agent `json:"subagents,omitempty" jsonschema:"maxItems=4"`

	// AtWork are the names of subagents that go on while the session stops: what was claimed under them does not
	// count.
	AtWork []Agent `json:"at_work,omitempty" jsonschema:"maxItems=16"`

	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50"` // on wake

	Undelivered *Marks `json:"unheard,omitempty"` // what was delivered and did not reach the session
}

// Marks are what a delivery marked as delivered.
type Marks struct {
	Handoffs []ID       `json:"handoffs,omitempty"`
	Notices  []NoticeID `json:"notices,omitempty"`
	Reminded []ID       `json:"reminded,omitempty"` // because of which the session was kept from stopping
}

// NewsOut is what is delivered to a session.
type NewsOut struct {
	Agent Agent   `json:"agent"`          // under which the session acts
	Here  []Agent `json:"here,omitempty"` // who else has an open connection, at most eight
	More  int     `json:"more_here,omitempty"`

	Holding     []Held `json:"holding,omitempty"` // at most five
	MoreHolding int    `json:"more_holding,omitempty"`
	Remind      bool   `json:"remind,omitempty"` // it is to go on with what it holds instead of stopping

	Mail    Inbox  `json:"mail"`          // counts, at the start
	New     []Item `json:"new,omitempty"` // best first, at most five, handoffs before notices
	MoreNew int    `json:"more_new,omitempty"`

	Over string `json:"over,omitempty"` // why the session is not to be woken any more

	Marked *Marks `json:"marked,omitempty"` // nil: nothing was
}

// Held is a handoff that a session holds.
type Held struct {
	HandoffID ID         `json:"handoff_id"`
	Title     string     `json:"title"`
	From      Agent      `json:"from"`
	As        Agent      `json:"as,omitempty"` // who holds it, if that is not the session's own name
	Status    Status     `json:"status"`
	Percent   int        `json:"percent,omitempty"`
	LeaseEnds *time.Time `json:"lease_ends,omitempty"`
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
