// Package identity finds the name under which a command acts: the name from its flag or environment, else the coding
// agent in whose shell it runs, else human at a terminal. A command that only reads needs no name. When several client
// sessions of a coding agent run, each has its own name, which only the mailbox knows.
package identity

import (
	"slices"
	"strconv"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// CommandCaller returns the caller of a command line. Name is the value of --agent or HANDOFF_AGENT, empty for none. The
// agent is empty if it is not known. The error is the error of [schemas.Caller.As] for an invalid name.
func CommandCaller(name string, getenv func(string) string, terminal bool) (schemas.Caller, error) {
	c := detectClient(getenv)
	by := schemas.Caller{Via: schemas.ViaCLI, AgentID: getenv(c.Shell.Session)}
	switch {
	case name != "":
		return by.As(name)
	case c.Name != "":
		by.Agent = schemas.Agent(c.Name)
	case terminal:
		by.Agent = schemas.Human
	}
	return by, nil
}

// ServerCaller returns the caller over the connection of a client to the server that the client started. If name is
// empty, the agent is empty: the server then derives it from the client's MCP name, see [AgentOfClient].
func ServerCaller(name string, getenv func(string) string) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaStdio, AgentID: getenv(detectClient(getenv).Shell.Session)}
	if name == "" {
		return by, nil
	}
	return by.As(name)
}

// SessionID returns the id of the client session from the environment, or empty. It ignores variables of another client
// that started this client.
func SessionID(agent schemas.Agent, getenv func(string) string) string {
	return getenv(shellVariables(agent).Session)
}

// ClientProcess returns the process id of the client in whose shell a command runs, or empty if the client's shells do not
// have it. The process id identifies the client better than the session id: a client may begin another session without
// telling the server that it started before.
func ClientProcess(agent schemas.Agent, getenv func(string) string) string {
	return getenv(shellVariables(agent).Process)
}

// ParentClientProcess returns, in a server that the client started, the process id of the client: parent, the id of the parent
// process. It equals [ClientProcess] in the client's shells, and is empty for a client whose shells do not have it.
func ParentClientProcess(agent schemas.Agent, parent int) string {
	if shellVariables(agent).Process == "" {
		return ""
	}
	return strconv.Itoa(parent)
}

// shellVariables describes the shells of a client.
func shellVariables(agent schemas.Agent) client.ShellVariables {
	c, _ := client.ByName(string(agent))
	return c.Shell
}

// AgentOfClient returns the agent for the MCP name of a known client, so that the client's tools and shells act under
// one name.
func AgentOfClient(name string) (schemas.Agent, bool) {
	for _, c := range client.All() {
		if c.MCPName == name {
			return schemas.Agent(c.Name), true
		}
	}
	return "", false
}

// NoNameError is the error of a command that writes and has no name to act under.
func NoNameError() *schemas.Error {
	return schemas.Invalidf("agent", "nothing says under which name to act").
		WithHint("Add --agent NAME, --agent human for a person, or set HANDOFF_AGENT=NAME.")
}

// RunningClientTitle returns the title of the client that runs this process, also through a terminal. It recognises a client
// by the variables of its shells, or by its program among the parent programs. It ignores clients without these
// variables. Some are editors, and people use the terminals of editors, too. It returns empty for no known client.
func RunningClientTitle(getenv func(string) string, programs []string) string {
	if c := detectClient(getenv); c.Title != "" {
		return c.Title
	}
	for _, c := range client.All() {
		if len(c.Shell.Signs) > 0 && slices.Contains(programs, c.Program) {
			return c.Title
		}
	}
	return ""
}

// detectClient finds the client in whose shell this process runs. Processes inherit the variables of their shell, so a
// client that another client's shell started has the variables of both. Then the order of [client.All] decides. This is
// a guess, which --agent corrects.
func detectClient(getenv func(string) string) client.Client {
	for _, c := range client.All() {
		for _, sign := range c.Shell.Signs {
			if getenv(sign) != "" {
				return c
			}
		}
	}
	return client.Client{}
}
