package client

// A Server describes how a client reaches handoff: by a program that the client starts, or by an address.
type Server struct {
	Command  []string // the program and its arguments; empty if there is a URL
	Pass     []string // variables of the client's environment for the program, if the client withholds them
	URL      string   // of the MCP endpoint
	TokenEnv string   // the variable that holds the token for the URL; the token itself is never written
	Agent    string   // the name under which to act over the URL; a program has an argument for it
	Trust    bool     // run the tools without asking
}

// agentHeader is the header with the agent name of a request, if its token allows several names.
const agentHeader = "Handoff-Agent"

// headers returns the headers of requests to the server's URL. The header with the token contains a variable, for
// example ${NAME} if before is "${". The client replaces the variable by the token. If before is "", the client cannot
// insert variables, and there is no header with the token.
func (s Server) headers(before string) (o Object) {
	if s.TokenEnv != "" && before != "" {
		o = append(o, Field{"Authorization", "Bearer " + before + s.TokenEnv + "}"})
	}
	return o.withField(agentHeader, s.Agent)
}

// entryFunc returns a function that writes the entry of a server in the form of most clients. Program and address are
// the client's names for the two types of servers, or "" if the client has no types. Before is the text before the name
// of a variable: see [Server.headers].
func entryFunc(program, address, before string) func(Server) Object {
	return entryFuncWithURLKey("url", program, address, before)
}

// entryFuncWithURLKey is like [entryFunc], for a client whose key for the address is url.
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

// PassedVariables are the variables that give a server the same agent name and workspace as hooks and shells. Setup
// writes all names into an entry, because a later session may set a variable that is not set now. It never writes
// values, because HANDOFF_STORE may hold a password.
var PassedVariables = [...]string{"HANDOFF_AGENT", "HANDOFF_DIR", "HANDOFF_WORKSPACE", "HANDOFF_STORE", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}
