// Package identity tells under which name a command acts: the name it was given, else the coding agent in
// whose shell it runs, else human where somebody sits at a terminal. A command that only reads needs none.
// A coding agent of which several sessions run has a name for each; which one is for the mailbox to say.
package identity

import (
	"strconv"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Caller gives who calls from the command line: named by --agent or HANDOFF_AGENT if name is not empty.
// The agent is empty where nothing tells it.
func Caller(name string, getenv func(string) string, terminal bool) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaCLI}
	c, recognised := recognise(getenv)
	if recognised {
		by.AgentID = getenv(c.Shell.Run)
	}
	switch {
	case name != "":
		return by.As(name)
	case recognised:
		by.Agent = schemas.Agent(c.Name)
	case terminal:
		by.Agent = schemas.Human
	}
	return by, nil
}

// Server gives who calls over a connection that a client opened to a server of its own. The agent is empty
// if name is: then the client's own name tells it, see [OfClient].
func Server(name string, getenv func(string) string) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaStdio}
	if c, ok := recognise(getenv); ok {
		by.AgentID = getenv(c.Shell.Run)
	}
	if name == "" {
		return by, nil
	}
	return by.As(name)
}

// Session gives the id of a client's run, where the environment tells it. What tells of another client, which
// started this one, does not count.
func Session(agent schemas.Agent, getenv func(string) string) string {
	return value(shellOf(agent).Run, getenv)
}

// Process gives the process of a client in whose shell a command runs. It says more than the run: the client may
// begin another run, of which the server that it started before does not hear. Empty where the shell is not told.
func Process(agent schemas.Agent, getenv func(string) string) string {
	return value(shellOf(agent).Process, getenv)
}

// ProcessOver gives the process of a client for the server that it started, whose parent has this number: what
// [Process] gives in the client's shells.
func ProcessOver(agent schemas.Agent, parent int) string {
	if shellOf(agent).Process == "" {
		return ""
	}
	return strconv.Itoa(parent)
}

func value(variable string, getenv func(string) string) string {
	if variable == "" {
		return ""
	}
	return getenv(variable)
}

// shellOf is what is known of the shells of a client.
func shellOf(agent schemas.Agent) client.Shell {
	for _, c := range client.All() {
		if c.Name == string(agent) {
			return c.Shell
		}
	}
	return client.Shell{}
}

// OfClient gives the agent behind the name by which a known MCP client calls itself, so that its tools and
// its shell act as one.
func OfClient(name string) (schemas.Agent, bool) {
	for _, c := range client.All() {
		if c.Calls == name {
			return schemas.Agent(c.Name), true
		}
	}
	return "", false
}

// Missing is the error of a command that writes and does not know under which name.
func Missing() *schemas.Error {
	return schemas.Invalidf("agent", "nothing says under which name to act").
		WithHint("Add --agent NAME or set HANDOFF_AGENT=NAME.")
}

// recognise tells in whose shell this is. The order of the clients decides when one was started from the shell of
// another: the outer one is recognised by variables that its children inherit, so this is a guess that --agent corrects.
func recognise(getenv func(string) string) (client.Client, bool) {
	for _, c := range client.All() {
		for _, sign := range c.Shell.Signs {
			if getenv(sign) != "" {
				return c, true
			}
		}
	}
	return client.Client{}, false
}
