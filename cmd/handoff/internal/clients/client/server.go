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

// An EntryForm is the form of entries in the lists of most clients.
type EntryForm struct {
	Program  string   // the client's name for servers that it starts; empty: it has none
	Joined   bool     // the program and its arguments are in one list
	Address  string   // the client's name for servers with an address; empty: it has none
	URL      string   // the key of the address
	Variable string   // the text before the name of a variable: see [Server.headers]
	Tools    []string // the tools to offer; empty: the entry does not say it
	Trust    bool     // the entry can say that the tools run without asking
}

func (f EntryForm) entry(s Server) (o Object) {
	switch {
	case s.URL != "":
		o = append(o.withField("type", f.Address), Field{f.URL, s.URL}).withField("headers", s.headers(f.Variable))
	case f.Joined:
		o = append(o.withField("type", f.Program), Field{"command", s.Command})
	default:
		o = append(o.withField("type", f.Program), Field{"command", s.Command[0]}, Field{"args", s.Command[1:]})
	}
	return o.withField("tools", f.Tools).withField("trust", f.Trust && s.Trust)
}

// PassedVariables are the variables that give a server the same agent name and workspace as hooks and shells. Setup
// writes all names into an entry, because a later session may set a variable that is not set now. It never writes
// values, because HANDOFF_STORE may hold a password.
var PassedVariables = [...]string{"HANDOFF_AGENT", "HANDOFF_DIR", "HANDOFF_WORKSPACE", "HANDOFF_STORE", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}
