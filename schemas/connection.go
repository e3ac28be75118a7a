package schemas

// ConnIn are the arguments of the administrative tools connection_open and connection_close: a server tells the owner
// of the store that a client is there, or left. Claims made over an open connection are renewed; after it closed they
// end, with a grace in which the client may come back.
type ConnIn struct {
	Conn string `json:"conn" jsonschema:"minLength=1,maxLength=64"`

	// Client is the agent name made of what the client calls itself, for a connection that was given no name. It gets
	// that name, or a numbered one while another live connection has it.
	Client Agent `json:"client,omitempty"`

	// Process is the client's process as the shells that it starts know it, such as its number. It is only compared.
	// Empty for a client whose shells do not know it.
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"`

	// Parent is the number of the process that opened the connection by starting its server. Zero where none did.
	Parent int `json:"parent,omitempty" jsonschema:"minimum=0"`

	// Unused tells of a connection that closes that nothing was asked for over it: neither to write nor to read.
	Unused bool `json:"unused,omitempty"`
}

// ConnOut says under which name a connection acts, and lists the handoffs that a connection that closed still held.
type ConnOut struct {
	Agent   Agent `json:"agent,omitempty"`
	Holding []ID  `json:"holding,omitempty"`
}

// SessionIn are the arguments of the administrative tool session_name. A shell that a client started asks under which
// name its session acts, and gives what it knows of the session: what the client calls it, or the processes around it.
type SessionIn struct {
	Client  Agent  `json:"client"`                                      // see ConnIn
	Session string `json:"session,omitempty"`                           // empty where nothing tells it
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"` // see ConnIn

	// Above are the numbers of the processes above the one that asks, nearest first, among which is the client that
	// opened the connection of the session. Empty where that cannot be seen, as from a sandbox.
	Ancestors []int `json:"above,omitempty" jsonschema:"maxItems=16"`
}

// SessionOut is the name under which the session acts.
type SessionOut struct {
	Agent Agent `json:"agent"`
}
