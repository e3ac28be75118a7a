package schemas

// ConnIn holds the arguments of the administrative tools connection_open and connection_close. With these tools a
// server tells the owner of the store that a client came or left. While a connection is open, claims made over it are
// renewed. When it has closed, these claims end after a grace period in which the client may come back.
type ConnIn struct {
	Conn string `json:"conn" jsonschema:"minLength=1,maxLength=64"`

	// Client is an agent name that the server derived from the client's own name. A connection gets it if no other name
	// was given for the connection. While another live connection has this name, a number is added to it.
	Client Agent `json:"client,omitempty"`

	// Process identifies the client's process, if child shells of the client know its number. The mailbox only compares
	// it. It is empty if the shells of the client do not know it.
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"`

	// Parent identifies the process that started the server, which is the client. Servers with the same parent belong
	// to one client session, unless the client gives them different session ids. It is zero if unknown.
	Parent int `json:"parent,omitempty" jsonschema:"minimum=0"`

	// Unused is given when a connection closes. It tells that no call over the connection read or wrote anything.
	Unused bool `json:"unused,omitempty"`
}

// ConnOut holds the agent name of the connection. For a connection that closed, it also holds the handoffs that were
// still claimed over it.
type ConnOut struct {
	Agent   Agent `json:"agent,omitempty"`
	Holding []ID  `json:"holding,omitempty"`
}

// SessionIn holds the arguments of the administrative tool session_name. With it a shell that a client started asks for
// the agent name of its client session. The call identifies the session by the id that the client gave it, or by the
// parent processes of the shell.
type SessionIn struct {
	Client  Agent  `json:"client"`                                      // see ConnIn
	Session string `json:"session,omitempty"`                           // empty if the shell does not know it
	Process string `json:"process,omitempty" jsonschema:"maxLength=64"` // see ConnIn

	// Ancestors identify the shell's parent processes, nearest first. One of these processes is the client that opened
	// the connection of the session. The list is empty if the shell cannot see its parent processes, for example in a
	// sandbox.
	Ancestors []int `json:"above,omitempty" jsonschema:"maxItems=16"`
}

// SessionOut is the agent name of the session.
type SessionOut struct {
	Agent Agent `json:"agent"`
}

// EndWaitIn holds the arguments of the administrative tool wait_end. With it a server ends a wait whose client polls. The
// request id of the call names the wait, see [Caller]. If Unread is true, the wait goes on: the last answer did not reach
// the client, so only what was claimed for it is given back.
type EndWaitIn struct {
	Unread bool `json:"unread,omitempty"`
}

// EndWaitOut is the result of the administrative tool wait_end.
type EndWaitOut struct{}

// SealIn holds the arguments of the administrative tool workspace_seal.
type SealIn struct{}

// SealOut holds the secret with which the servers of a workspace seal what they give to clients to keep. It never
// changes, and never leaves the servers.
type SealOut struct {
	Secret string `json:"secret"`
}
