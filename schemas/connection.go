package schemas

// ConnIn holds the arguments of the administrative tools connection_open and connection_close. A server tells the
// owner of the store that a client came or left. Claims made over an open connection are renewed. After it closed
// they end, with a grace period in which the client may come back.
type ConnIn struct {
	Conn string `json:"conn" jsonschema:"minLength=1,maxLength=64"`

	// Client is the agent name derived from the client's own name, for a connection without a given name. The
	// connection gets this name, or a numbered one while another live connection has it.
	Client Agent `json:"client,omitempty"`

	// Process identifies the client's process as its child shells know it, for example by its number. It is only
	// compared. It is empty for a client whose shells do not know it.
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"`

	// Parent is the number of the process that opened the connection by starting its server, or zero.
	Parent int `json:"parent,omitempty" jsonschema:"minimum=0"`

	// Unused tells that no call read or wrote over a connection that now closes.
	Unused bool `json:"unused,omitempty"`
}

// ConnOut returns the agent name of a connection, and the handoffs that a closed connection still held.
type ConnOut struct {
	Agent   Agent `json:"agent,omitempty"`
	Holding []ID  `json:"holding,omitempty"`
}

// SessionIn holds the arguments of the administrative tool session_name. A shell that a client started asks for the
// agent name of its session. It describes the session by the client's id of it, or by the processes around the shell.
type SessionIn struct {
	Client  Agent  `json:"client"`                                      // see ConnIn
	Session string `json:"session,omitempty"`                           // empty if the shell does not know it
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"` // see ConnIn

	// Ancestors are the numbers of the caller's parent processes, nearest first. One of them is the client that opened
	// the connection of the session. The list is empty if the caller cannot see them, for example in a sandbox.
	Ancestors []int `json:"above,omitempty" jsonschema:"maxItems=16"`
}

// SessionOut is the agent name of the session.
type SessionOut struct {
	Agent Agent `json:"agent"`
}
