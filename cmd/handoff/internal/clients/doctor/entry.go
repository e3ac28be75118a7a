package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// serverTimeout is the time that a server has to answer. It is shorter than the timeouts of the clients.
const serverTimeout = 5 * time.Second

// examineEntry examines one entry. It starts or calls the server of the entry as the client would, and sends a client's
// first requests.
func (in *installation) examineEntry(ctx context.Context, e installed.ServerEntry) Finding {
	where := in.describeEntry(e)
	stranger := e.Shared && !e.IsWrittenBySetup(in.lastDesiredSetup(e.Scope).Server)
	program := append(slices.Clip(e.Command), "")[0]
	switch {
	case e.Off:
		return warning(aboutClients, "%s: the server is switched off in %s", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	case e.URL == "" && program == "":
		return failure(aboutClients, "%s: the entry in %s names no server", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	case stranger && e.URL != "":
		return skipped(aboutNetwork, "%s: the address in %s came with the project, and is not called", where, e.Path)
	case stranger: // the finding does not repeat words of a stranger: see package installed
		return warning(aboutClients, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried",
			in.client.Title, e.Path).withCommand(in.setupCommand(e.Scope, "--print"))
	case hasClientVariable(e.URL):
		return skipped(aboutNetwork, "%s: the address in %s is for the client to find", where, e.Path)
	case e.URL != "":
		return in.examineAddress(ctx, e, where)
	case hasClientVariable(program):
		return skipped(aboutClients, "%s: %s is for the client to find", where, program)
	}
	return in.examineProgram(ctx, e, where)
}

// describeEntry returns the text for an entry in a finding: its client, its scope, and its name unless the name is
// "handoff".
func (in *installation) describeEntry(e installed.ServerEntry) string {
	about := string(e.Scope)
	if e.Name != client.ServerName {
		about += ", as " + schemas.EscapeHidden(e.Name)
	}
	return in.client.Title + " (" + about + ")"
}

// hasClientVariable reports whether a text contains a variable whose value only the client knows.
func hasClientVariable(text string) bool {
	return strings.Contains(text, "${") || strings.Contains(text, "{env:")
}

// examineProgram examines an entry that names a program.
func (in *installation) examineProgram(ctx context.Context, e installed.ServerEntry, where string) Finding {
	if in.Machine.ProgramPath(e.Command[0]) == "" {
		return failure(aboutClients, "%s: %s, which it starts, is not there", where, e.Command[0]).withCommand(in.fixEntryProgramCommand(e))
	}
	brief, end := context.WithTimeout(ctx, serverTimeout)
	defer end()
	reply, err := in.newTrial(e).Ask(brief)
	_, another := errors.AsType[*live.NotHandoffError](err)
	switch {
	case another:
		return failure(aboutClients, "%s: it starts something else: %v", where, err).withCommand(in.rewriteEntryCommand(e))
	case err != nil:
		return failure(aboutClients, "%s: its server does not answer: %v", where, err).withCommand(shell.JoinWords(e.Command) + " </dev/null")
	case reply.Version != in.Program.Version:
		return warning(aboutClients, "%s: it starts handoff %s, and this is %s", where, reply.Version, in.Program.Version).
			withCommand(in.fixEntryProgramCommand(e))
	}
	return ok(aboutClients, "%s: its server answers, with %s", where, schemas.CountNoun(reply.Tools, "tool"))
}

// newTrial returns the trial of an entry's server, with a temporary workspace.
func (in *installation) newTrial(e installed.ServerEntry) live.Trial {
	return live.Trial{
		Machine: in.Machine, As: in.client.MCPName, Entry: e.ListedServer, HTTP: in.Web,
		Environ: []string{"HANDOFF_WORKSPACE=doctor"},
	}
}
