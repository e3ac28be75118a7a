// Package identity tells under which name a command acts: the name it was given, else the coding agent in
// whose shell it runs, else human where somebody sits at a terminal. A command that only reads needs none.
// A coding agent of which several sessions run has a name for each; which one is for the mailbox to say.
package identity

import (
	"strconv"

	"handoff/schemas"
)

// A client is a coding agent that can be recognised by what it sets in the environment of its shell.
type client struct {
	agent   schemas.Agent
	calls   string   // how it names itself as an MCP client
	signs   []string // any of these variables, not empty
	run     string   // variable with the id of this run of it
	process string   // variable with the number of its process; empty where its shells are not told
}

// The order decides when a client was started from the shell of another: the outer one is recognised by
// variables that its children inherit, so this is a guess that --agent corrects.
var clients = []client{
	{agent: "claude-code", calls: "claude-code", signs: []string{"CLAUDECODE"}, run: "CLAUDE_CODE_SESSION_ID", process: "CLAUDE_PID"},
	{agent: "codex", calls: "codex-mcp-client", signs: []string{"CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"}, run: "CODEX_THREAD_ID"},
	{agent: "gemini-cli", calls: "gemini-cli-mcp-client", signs: []string{"GEMINI_CLI"}, run: "GEMINI_SESSION_ID"},
}

// Caller gives who calls from the command line: named by --agent or HANDOFF_AGENT if name is not empty.
// The agent is empty where nothing tells it.
func Caller(name string, getenv func(string) string, terminal bool) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaCLI}
	client, recognised := recognise(getenv)
	if recognised {
		by.AgentID = getenv(client.run)
	}
	switch {
	case name != "":
		return by.As(name)
	case recognised:
		by.Agent = client.agent
	case terminal:
		by.Agent = schemas.Human
	}
	return by, nil
}

// Server gives who calls over a connection that a client opened to a server of its own. The agent is empty
// if name is: then the client's own name tells it, see [OfClient].
func Server(name string, getenv func(string) string) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaStdio}
	if client, ok := recognise(getenv); ok {
		by.AgentID = getenv(client.run)
	}
	if name == "" {
		return by, nil
	}
	return by.As(name)
}

// Session gives the id of a client's run, where the environment tells it. What tells of another client, which
// started this one, does not count.
func Session(agent schemas.Agent, getenv func(string) string) string {
	for _, c := range clients {
		if c.agent == agent {
			return getenv(c.run)
		}
	}
	return ""
}

// Process gives the process of a client in whose shell a command runs. It says more than the run: the client may
// begin another run, of which the server that it started before does not hear. Empty where the shell is not told.
func Process(agent schemas.Agent, getenv func(string) string) string {
	if variable := processVariable(agent); variable != "" {
		return getenv(variable)
	}
	return ""
}

// ProcessOver gives the process of a client for the server that it started, whose parent has this number: what
// [Process] gives in the client's shells.
func ProcessOver(agent schemas.Agent, parent int) string {
	if processVariable(agent) == "" {
		return ""
	}
	return strconv.Itoa(parent)
}

func processVariable(agent schemas.Agent) string {
	for _, c := range clients {
		if c.agent == agent {
			return c.process
		}
	}
	return ""
}

// OfClient gives the agent behind the name by which a known MCP client calls itself, so that its tools and
// its shell act as one.
func OfClient(name string) (schemas.Agent, bool) {
	for _, c := range clients {
		if c.calls == name {
			return c.agent, true
		}
	}
	return "", false
}

// Missing is the error of a command that writes and does not know under which name.
func Missing() *schemas.Error {
	return schemas.Invalidf("agent", "nothing says under which name to act").
		WithHint("Add --agent NAME or set HANDOFF_AGENT=NAME.")
}

func recognise(getenv func(string) string) (client, bool) {
	for _, c := range clients {
		for _, sign := range c.signs {
			if getenv(sign) != "" {
				return c, true
			}
		}
	}
	return client{}, false
}
