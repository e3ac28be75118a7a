// Package client is the table of the programs that agents run in: how handoff recognises each, where it keeps its
// list of MCP servers and its hooks, how an entry of ours is written there, and which of its own commands take one out.
//
// A client is one file here and one row in [All]. Everything that the program does differently for one client stands
// in its row, so that a new client needs only these two. Setup, doctor and the hooks work from the rows. Nothing
// here changes a file: see package setup.
package client

import (
	"slices"
	"strings"
)

// A Client is a program that agents run in.
type Client struct {
	Name    string   // for the command line; also of the agent in it, where it says who it is as Calls
	Title   string   // for people
	Aliases []string // what else people call it on the command line
	Program string   // its command
	Traces  []Path   // any of these files or directories shows that it was used on this machine
	Calls   string   // how it names itself as an MCP client
	Shell   Shell    // by what its shells are recognised
	Servers Files    // which list its MCP servers, in the object to which the keys Under lead
	Under   []any
	Newer   []any                      // keys that are used instead where a file has an object there; nil: none are
	Local   string                     // key of an object in the user's file: for each project one in which Under leads to more
	Entry   func(Server) Object        // how the list describes one
	Allow   func(server string) *Grant // what lets the tools of our server run without asking; nil where the entry itself says it
	Clean   bool                       // it starts servers without the variables of its environment that the entry does not name
	Hooks   *Hooks                     // nil: it runs none
	Plugins *Plugins                   // nil: it has none of ours
	Doubts  func(View) []Doubt         // what keeps it from running what its files say; nil: nothing that is known
	Next    string                     // what a person types or clicks so that it takes notice, in one line
	// Remove gives the arguments of its command that takes a server off its list by its name; nil if it has none for the
	// scope. The function is nil if it has none at all.
	Remove func(scope Scope, name string) []string
	// Toolless tells a model what it means when it has none of our tools, as a sentence; empty: it always has them where
	// the client starts our server.
	Toolless string
	Asks     string // what it does before it uses a tool that is not trusted, in one line; empty: nothing is known
}

// ServerName is the name of our server in every client.
const ServerName = "handoff"

// All gives the clients that handoff knows, in the order in which people are shown them.
func All() []Client {
	return []Client{
		claudeCode(), codex(), geminiCLI(), cursor(), vsCode(),
		kilo(), openCode(), // in this order: the shells of Kilo have the signs of both
		copilotCLI(), qwenCode(), cline(), windsurf(), zed(), antigravity(),
	}
}

// Named gives the client with this name or alias, in letters of either case.
func Named(name string) (Client, bool) {
	name = strings.ToLower(name)
	all := All()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Names gives the names of all clients.
func Names() []string { return namesOf(func(Client) bool { return true }) }

// WithHooks gives the names of the clients that run hooks.
func WithHooks() []string { return namesOf(func(c Client) bool { return c.Hooks != nil }) }

func namesOf(such func(Client) bool) (names []string) {
	for _, c := range All() {
		if such(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// HasTrust tells whether setup can let the tools run without asking.
func (c Client) HasTrust() bool {
	command := []string{ServerName, "mcp"}
	return c.Allow != nil || len(c.Entry(Server{Command: command, Trust: true})) > len(c.Entry(Server{Command: command}))
}

// TakesToken tells whether the client can read the token for a URL from a variable.
func (c Client) TakesToken() bool {
	return len(c.Entry(Server{URL: "/", TokenEnv: "TOKEN"})) > len(c.Entry(Server{URL: "/"}))
}

// Scope tells for whom a client is set up.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // for one person, in every project
	Project Scope = "project" // for everybody in one project, in files that are shared
)
