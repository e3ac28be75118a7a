package client

// A Server is how a client reaches handoff: a program that it starts, or an address.
type Server struct {
	Command  []string // the program and its arguments; empty if there is a URL
	Pass     []string // variables of the client's environment for the program, if the client withholds them
	URL      string   // of the MCP endpoint
	TokenEnv string   // the variable that holds the token for the URL; the token itself is never written
	Agent    string   // the name under which to act over the URL; a program has an argument for it
	Trust    bool     // run the tools without asking
}

// agentHeader is the header that chooses one of the names that a token may use.
const agentHeader = "Handoff-Agent"

// headers returns the headers of requests to the URL of the server. The client itself inserts the token: the value of
// the header names a variable, between the text before and a closing brace, as in ${NAME}. If before is empty, the
// client cannot read a variable there, and the result has no header for the token: see [Client.ReadsTokenVariable].
func (s Server) headers(before string) (o Object) {
	if s.TokenEnv != "" && before != "" {
		o = append(o, Field{"Authorization", "Bearer " + before + s.TokenEnv + "}"})
	}
	return o.withField(agentHeader, s.Agent)
}

// entryFunc returns a function that describes a server in the form of most clients. Program and address are the client's
// words for the type of a server that it starts and of a server that it calls. They are empty if the client has no
// types. Before is described at [Server.headers].
func entryFunc(program, address, before string) func(Server) Object {
	return entryFuncWithURLKey("url", program, address, before)
}

// entryFuncWithURLKey is like [entryFunc], for a client that uses another key than "url" for the address.
func entryFuncWithURLKey(url, program, address, before string) func(Server) Object {
	return func(s Server) Object {
		if s.URL != "" {
			return append(Object{}.withField("type", address), Field{url, s.URL}).withField("headers", s.headers(before))
		}
		return append(Object{}.withField("type", program), Field{"command", s.Command[0]}, Field{"args", s.Command[1:]})
	}
}

// asksBeforeTools is [Client.Asks] of most clients.
const asksBeforeTools = "It asks before it uses a tool."

// removeArgs is [Client.Remove] of several clients.
func removeArgs(scope Scope, name string) []string {
	return []string{"mcp", "remove", "--scope", string(scope), name}
}

// PassedVariables are the variables by which a server finds the same name and the same workspace as hooks and shells
// do. Setup names all of them, set or not: a session may have a variable that was not set during setup. It writes no
// values: HANDOFF_STORE may hold a password.
var PassedVariables = [...]string{"HANDOFF_AGENT", "HANDOFF_DIR", "HANDOFF_WORKSPACE", "HANDOFF_STORE", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}
