// Package identity finds the agent name under which a command acts. The name comes from the flag or the environment.
// Without them, it is the coding agent in whose shell the command runs, or "human" at a terminal. A command that only
// reads needs no name. If several sessions of a coding agent run, each session has its own name, which only the mailbox
// knows.
package identity

import (
	"slices"
	"strconv"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
	"handoff/tools/platform"
)

// CommandCaller returns the caller of a command line. Name is the value of --agent or HANDOFF_AGENT, or "". The
// caller's agent is empty if no name is known. The error says that name is not valid, as [schemas.Caller.WithName]
// does.
func CommandCaller(name string, getenv func(string) string, terminal bool) (schemas.Caller, error) {
	c := detectClient(getenv)
	by := schemas.Caller{Via: schemas.ViaCLI, AgentID: getenv(c.Shell.Session)}
	switch {
	case name != "":
		return by.WithName(name)
	case c.Name != "":
		by.Agent = schemas.Agent(c.Name)
	case terminal:
		by.Agent = schemas.Human
	}
	return by, nil
}

// ServerCaller returns the caller for a server that a client started. If name is "", the caller's agent is empty. Then
// the server derives the agent from the client's MCP name: see [AgentOfClient].
func ServerCaller(name string, getenv func(string) string) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaStdio, AgentID: getenv(detectClient(getenv).Shell.Session)}
	if name == "" {
		return by, nil
	}
	return by.WithName(name)
}

// SessionID returns the id of the client session from the environment, or "". It reads only the variables of agent's
// client, because a client may run in the shell of another client.
func SessionID(agent schemas.Agent, getenv func(string) string) string {
	return getenv(shellVariables(agent).Session)
}

// SessionOfShell returns the facts by which the mailbox finds the client session of the shell in which a command runs.
func SessionOfShell(by schemas.Caller, getenv func(string) string) schemas.SessionIn {
	return schemas.SessionIn{
		Client: by.Agent, Session: by.AgentID, Process: ClientProcess(by.Agent, getenv), Ancestors: platform.AncestorIDs(),
	}
}

// ClientProcess returns the id of the client's process in whose shell a command runs, see [platform.ProcessID]. It
// returns "" if the client does not put its process number into the environment. The process is more reliable than the
// session id, because a client may begin a new session without telling its server.
func ClientProcess(agent schemas.Agent, getenv func(string) string) string {
	return processText(ClientPID(agent, getenv))
}

// ClientPID returns the process number of the client in whose shell a command runs, zero if the environment has none.
func ClientPID(agent schemas.Agent, getenv func(string) string) int {
	pid, _ := strconv.Atoi(getenv(shellVariables(agent).Process))
	return pid
}

// processText returns the id of a process as a text, "" for an unknown process.
func processText(pid int) string {
	if id := platform.ProcessID(pid); id != 0 {
		return strconv.Itoa(id)
	}
	return ""
}

// ParentClientProcess returns the id of the client's process that started this server, whose number is parent. It
// returns "" for a client whose shells do not have the number, so that the result always equals the result of
// [ClientProcess] in the client's shells.
func ParentClientProcess(agent schemas.Agent, parent int) string {
	if shellVariables(agent).Process == "" {
		return ""
	}
	return processText(parent)
}

// shellVariables describes the shells of a client.
func shellVariables(agent schemas.Agent) client.ShellVariables {
	c, _ := client.ByName(string(agent))
	return c.Shell
}

// AgentOfClient returns the agent of a known client by the client's MCP name. So the tools and the shells of the client
// act under the same name.
func AgentOfClient(name string) (schemas.Agent, bool) {
	c, known := client.First(func(c client.Client) bool { return c.MCPName == name })
	return schemas.Agent(c.Name), known
}

// NoNameError returns the error of a command that changes something and has no agent name.
func NoNameError() *schemas.Error {
	return schemas.Invalidf("agent", "nothing says under which name to act").
		WithHint("Add --agent NAME, --agent human for a person, or set HANDOFF_AGENT=NAME.")
}

// RunningClientTitle returns the title of the client that runs this process, or "" if no client is known. It finds the
// client by the variables of its shells, or by its program: the list programs holds the programs of the parent
// processes. It ignores clients whose shells have no variables of their own, because some of them are editors, and
// people use the terminals of editors, too.
func RunningClientTitle(getenv func(string) string, programs []string) string {
	if c := detectClient(getenv); c.Title != "" {
		return c.Title
	}
	c, _ := client.First(func(c client.Client) bool {
		return len(c.Shell.Signs) > 0 && slices.Contains(programs, c.Program)
	})
	return c.Title
}

// detectClient finds the client in whose shell this process runs. If one client runs in the shell of another client,
// the environment has the variables of two clients. Then the first client in the order of [client.All] is the result.
// The guess may be wrong, and --agent corrects it.
func detectClient(getenv func(string) string) client.Client {
	c, _ := client.First(func(c client.Client) bool {
		return slices.ContainsFunc(c.Shell.Signs, func(sign string) bool { return getenv(sign) != "" })
	})
	return c
}
