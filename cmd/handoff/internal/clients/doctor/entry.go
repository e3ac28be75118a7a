package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// TryEntry examines one entry of a client. It starts or calls the server of the entry as the client would, and sends a
// client's first requests. The reply is empty if the server was not tried, or did not answer as handoff.
func TryEntry(ctx context.Context, c client.Client, b ClientEnv, e installed.ServerEntry) (live.ServerReply, Finding) {
	return readInstallation(c, b).tryEntry(ctx, e)
}

func (in *installation) tryEntry(ctx context.Context, e installed.ServerEntry) (reply live.ServerReply, _ Finding) {
	where := in.describeEntry(e)
	stranger := e.Shared && !e.IsWrittenBySetup(in.lastDesiredSetup(e.Scope).Server)
	program := append(slices.Clip(e.Command), "")[0]
	switch {
	case e.Off:
		return reply, warning(aboutClients, "%s: the server is switched off in %s", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	case e.URL == "" && program == "":
		return reply, failure(aboutClients, "%s: the entry in %s names no server", where, e.Path).withCommand(in.rewriteEntryCommand(e))
	case stranger && e.URL != "":
		return reply, skipped(aboutNetwork, "%s: the address in %s came with the project, and is not called", where, e.Path)
	case stranger: // the finding does not repeat words of a stranger: see package installed
		return reply, warning(aboutClients, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried",
			in.client.Title, e.Path).withCommand(in.setupCommand(e.Scope, "--print"))
	case hasClientVariable(e.URL):
		return reply, skipped(aboutNetwork, "%s: the address in %s is for the client to find", where, e.Path)
	case hasClientVariable(program):
		return reply, skipped(aboutClients, "%s: %s is for the client to find", where, program)
	case e.URL == "" && in.Machine.ProgramPath(program) == "":
		return reply, failure(aboutClients, "%s: %s, which it starts, is not there", where, program).withCommand(in.fixEntryProgramCommand(e))
	}
	trial := live.Trial{Machine: in.Machine, As: in.client.MCPName, Entry: e.ListedServer, HTTP: in.Web}
	ctx, end := context.WithTimeout(ctx, in.Timeout)
	defer end()
	if e.URL != "" {
		return in.tryAddress(ctx, e, where, trial)
	}
	return in.tryProgram(ctx, e, where, trial)
}

// tryProgram starts the program of an entry.
func (in *installation) tryProgram(
	ctx context.Context, e installed.ServerEntry, where string, trial live.Trial,
) (live.ServerReply, Finding) {
	reply, err := trial.Ask(ctx)
	_, another := errors.AsType[*live.NotHandoffError](err)
	switch {
	case another:
		return live.ServerReply{}, failure(aboutClients, "%s: it starts something else: %v", where, err).withCommand(in.rewriteEntryCommand(e))
	case err != nil:
		return live.ServerReply{}, failure(aboutClients, "%s: its server does not answer: %v", where, err).
			withCommand(shell.JoinWords(e.Command) + " </dev/null")
	case reply.Version != in.Program.Version:
		return reply, warning(aboutClients, "%s: it starts handoff %s, and this is %s", where, reply.Version, in.Program.Version).
			withCommand(in.fixEntryProgramCommand(e))
	}
	return reply, ok(aboutClients, "%s: its server answers, with %s", where, schemas.CountNoun(reply.Tools, "tool"))
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
