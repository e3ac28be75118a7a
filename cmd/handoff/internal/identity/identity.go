// Package identity finds the name under which a command acts: the name it was given, else the coding agent in whose
// shell it runs, else human when it runs at a terminal. A command that only reads needs no name. When several sessions
// of a coding agent run, each has a name of its own, which only the mailbox knows.
package identity

import (
	"slices"
	"strconv"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Caller returns the caller of a command line. Name is the value of --agent or HANDOFF_AGENT, empty for none. The
// agent is empty if it is not known. The error is the error of [schemas.Caller.As] for an invalid name.
func Caller(name string, getenv func(string) string, terminal bool) (schemas.Caller, error) {
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

// Server returns the caller over the connection of a client to the server that the client started. The agent is empty
// if name is: then the client's own name tells it, see [AgentOfClient].
func Server(name string, getenv func(string) string) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaStdio, AgentID: getenv(detectClient(getenv).Shell.Session)}
	if name == "" {
		return by, nil
	}
	return by.As(name)
}

// Session returns the id of the session of a client, when the environment tells it. Variables of another client, which
// started this one, do not count.
func Session(agent schemas.Agent, getenv func(string) string) string {
	return getenv(shellOf(agent).Session)
}

// Process returns the process of the client in whose shell a command runs, empty when its shells do not tell. It tells
// more than the id of the session: a client may begin another session without telling the server that it started
// before.
func Process(agent schemas.Agent, getenv func(string) string) string {
	return getenv(shellOf(agent).Process)
}

// ProcessOver returns the process of a client in the server that the client started, where parent is the parent
// process. It is the same as [Process] in the client's shells.
func ProcessOver(agent schemas.Agent, parent int) string {
	if shellOf(agent).Process == "" {
		return ""
	}
	return strconv.Itoa(parent)
}

// shellOf describes the shells of a client.
func shellOf(agent schemas.Agent) client.Shell {
	c, _ := client.Named(string(agent))
	return c.Shell
}

// AgentOfClient returns the agent for the name that a known MCP client gives itself, so that its tools and its shells act
// under one name.
func AgentOfClient(name string) (schemas.Agent, bool) {
	for _, c := range client.All() {
		if c.MCPName == name {
			return schemas.Agent(c.Name), true
		}
	}
	return "", false
}

// Missing is the error of a command that writes and has no name to act under.
func Missing() *schemas.Error {
	return schemas.Invalidf("agent", "nothing says under which name to act").
		WithHint("Add --agent NAME, --agent human for a person, or set HANDOFF_AGENT=NAME.")
}

// ClientAbove names the client in whose shell this process runs, though a terminal may be between them: by the variables of
// its shells, or because it is one of the programs above. A client that is an editor has terminals for people, and does
// not count as such. It is empty where nothing tells.
func ClientAbove(getenv func(string) string, programs []string) string {
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

// detectClient finds the client in whose shell this process runs. Children inherit the variables of their shell, so a
// client that was started from the shell of another has the variables of both. Then the order of the clients decides:
// it is a guess, which --agent corrects.
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
