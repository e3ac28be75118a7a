// Package client is the table of the clients, the programs that agents run in. Its rows describe how handoff recognises
// a client, which files hold the client's MCP servers and hooks, and how our entry in these files is written.
//
// Each client has one row in clients.txt, with a field of [Client] for everything that handoff does differently for
// this client. Claude Code, Codex and Gemini CLI also have code, in a file with the name of the client. Setup, doctor
// and the hooks read the rows. Package setup changes the configuration files: this package changes none.
package client

import (
	"cmp"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/shell"
)

// A Client is a program that agents run in. The fields with functions are not in its row.
type Client struct {
	Note           string         // for readers of the row
	Name           string         // for the command line; also the agent's name, if the client calls itself Calls
	Title          string         // for people
	Aliases        []string       // other names for it on the command line
	Program        string         // its command
	Traces         []Path         // any of these files or directories shows that it was used on this machine
	MCPName        string         // the name that it gives as an MCP client
	Shell          ShellVariables // how its shells are recognised
	Servers        ConfigPaths    // which list its MCP servers, in the object to which the keys Under lead
	Under          []any
	NewerKeys      []any                             // keys that it uses instead, if a file has an object there; nil: none
	Local          string                            // key of an object in the user's file that has an object for each project; Under leads on from there
	Entry          func(Server) Object               // describes a server in the list
	Form           EntryForm                         // of the entries, if the client has no Entry of its own
	Allow          *ToolPermission                   // lets the tools of our server run without asking; nil if the entry itself says it
	CleanEnv       bool                              // it starts servers without the variables of its environment that the entry does not name
	Hooks          *HookSettings                     // nil: it runs none
	Plugins        *PluginFiles                      // nil: it has none of ours
	TrustObstacles func(MachineView) []TrustObstacle // reasons for which it does not run the contents of its files; nil: none is known
	Next           string                            // the step of a person after which the client notices, in one line
	// Remove has the arguments of the client's command that removes a server, without the server's name. The word SCOPE
	// in it stands for the scope. A command without this word removes servers of the user's scope only. Remove is empty
	// if the client has no such command.
	Remove string
	// CertVariable is the variable of its environment that names a file of more certificates to trust. It is empty if
	// no such variable is known.
	CertVariable string
	// Toolless tells a model of this client what to do if it has none of our tools. It is empty if the client always
	// offers our tools to its models as soon as it has started our server.
	Toolless   string
	TasksSince string   // its first version that takes tasks of MCP, in its terminal only; empty for none
	TasksOff   []string // the variables of its environment that switch tasks off: NAME, or NAME=VALUE for one value
	Asks       string   // how it asks before it uses an untrusted tool, in one line; empty: nothing is known
}

// ServerName is the name of our server in every client.
const ServerName = "handoff"

// All returns all clients, in the order of lists for people.
func All() []Client { return slices.Clone(table()) }

// ByName returns the client with this name or alias, in upper or lower case. It returns false if there is no such
// client.
func ByName(name string) (Client, bool) {
	name = strings.ToLower(name)
	return First(func(c Client) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
}

// First returns the first client of [All] for which such returns true. It returns false if there is no such client.
func First(such func(Client) bool) (Client, bool) {
	all := append(slices.DeleteFunc(All(), func(c Client) bool { return !such(c) }), Client{})
	return all[0], len(all) > 1
}

// Names returns the names of all clients.
func Names() []string { return namesWhere(func(Client) bool { return true }) }

// NamesWithHooks returns the names of the clients that run hooks.
func NamesWithHooks() []string { return namesWhere(func(c Client) bool { return c.Hooks != nil }) }

func namesWhere(such func(Client) bool) (names []string) {
	for _, c := range All() {
		if such(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// HasTrustOption reports whether setup can let the tools run without asking.
func (c Client) HasTrustOption() bool {
	command := []string{ServerName, "mcp"}
	return c.Allow != nil || len(c.Entry(Server{Command: command, Trust: true})) > len(c.Entry(Server{Command: command}))
}

// ReadsTokenVariable reports whether the client can read the token for a URL from a variable of the environment.
func (c Client) ReadsTokenVariable() bool {
	return len(c.Entry(Server{URL: "/", TokenEnv: "TOKEN"})) > len(c.Entry(Server{URL: "/"}))
}

// RemoveCommand returns the client's command that removes the server called name. It returns "" if the client has no
// such command for this scope.
func (c Client) RemoveCommand(scope Scope, name string) string {
	args := strings.ReplaceAll(c.Remove, "SCOPE", string(scope))
	if args == c.Remove && (args == "" || scope != User) {
		return ""
	}
	return c.Program + " " + args + " " + shell.Quote(name)
}

// TrustCommand returns a shell command that lets the client trust the certificates in a file.
func (c Client) TrustCommand() string {
	return "export " + cmp.Or(c.CertVariable, "SSL_CERT_FILE") + "=FILE"
}

// Scope says for whom a client is set up.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // for one person, in every project
	Project Scope = "project" // for all users of one project, in shared files
)
