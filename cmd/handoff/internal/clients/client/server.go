package client

// A Server is how a client reaches handoff: a program that it starts, or an address.
type Server struct {
	Command  []string // the program and its arguments; empty where there is a URL
	Pass     []string // variables of the environment that the program needs of its client's, where those are not passed on
	URL      string   // of the MCP endpoint
	TokenEnv string   // the variable that holds the token for the URL; the token itself is never written
	Agent    string   // the name under which to act over the URL; a program is told by an argument
	Trust    bool     // run the tools without asking
}

// agentHeader is the header by which one of the names that a token may use is chosen.
const agentHeader = "Handoff-Agent"

// headers are those of requests to the URL, the token's variable as the client names one: with this before it, and a
// brace after.
func (s Server) headers(before string) (o Object) {
	if s.TokenEnv != "" {
		o = append(o, Field{"Authorization", "Bearer " + before + s.TokenEnv + "}"})
	}
	return o.with(agentHeader, s.Agent)
}

// Passed are the variables by which handoff finds the same workspace in a server as in a shell.
var Passed = [...]string{"HANDOFF_AGENT", "HANDOFF_DIR", "HANDOFF_WORKSPACE", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}

// Own are the commands by which a client keeps its list of servers itself.
type Own struct {
	// Add gives the arguments of the command that adds a server; nil if it cannot be told all that there is to say.
	Add func(Scope, Server) []string
	// Remove gives the arguments of the command that removes our server; nil as above.
	Remove func(Scope) []string

	// Strict says that the commands fail on a file with an entry that has neither a program nor a URL.
	Strict bool
}
