package schemas

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
	Event uint64 `json:"event"` // number of the newest event, zero for none
}
