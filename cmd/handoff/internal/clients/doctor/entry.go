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

// serverTimeout is the time that a server has to answer. Clients wait longer.
const serverTimeout = 5 * time.Second

// examineEntry examines one entry. It starts or calls the server of the entry as the client would, and sends the first
// requests of a client.
func (in *installation) examineEntry(ctx context.Context, e installed.Entry) Finding {
	where := in.where(e)
	stranger := e.Shared && !e.Written(in.lastDesired(e.Scope).Server)
	program := append(slices.Clip(e.Command), "")[0]
	switch {
	case e.Off:
		return warning(aboutClients, "%s: the server is switched off in %s", where, e.Path).try(in.rewrite(e))
	case e.URL == "" && program == "":
		return failure(aboutClients, "%s: the entry in %s names no server", where, e.Path).try(in.rewrite(e))
	case stranger && e.URL != "":
		return skipped(aboutNetwork, "%s: the address in %s came with the project, and is not called", where, e.Path)
	case stranger: // the finding does not repeat words of a stranger: see package installed
		return warning(aboutClients, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried",
			in.client.Title, e.Path).try(in.setupCommand(e.Scope, "--print"))
	case isForClient(e.URL):
		return skipped(aboutNetwork, "%s: the address in %s is for the client to find", where, e.Path)
	case e.URL != "":
		return in.examineAddress(ctx, e, where)
	case isForClient(program):
		return skipped(aboutClients, "%s: %s is for the client to find", where, program)
	}
	return in.examineProgram(ctx, e, where)
}

// where describes an entry for a finding: by its client, by its scope, and by its name unless that is "handoff".
func (in *installation) where(e installed.Entry) string {
	about := string(e.Scope)
	if e.Name != client.ServerName {
		about += ", as " + schemas.Visible(e.Name)
	}
	return in.client.Title + " (" + about + ")"
}

// isForClient reports whether a text contains a variable whose value only the client can insert.
func isForClient(text string) bool {
	return strings.Contains(text, "${") || strings.Contains(text, "{env:")
}

// examineProgram examines an entry that names a program.
func (in *installation) examineProgram(ctx context.Context, e installed.Entry, where string) Finding {
	if in.Machine.Program(e.Command[0]) == "" {
		return failure(aboutClients, "%s: %s, which it starts, is not there", where, e.Command[0]).try(in.mend(e))
	}
	brief, end := context.WithTimeout(ctx, serverTimeout)
	defer end()
	reply, err := in.trial(e).Ask(brief)
	_, another := errors.AsType[*live.NotHandoffError](err)
	switch {
	case another:
		return failure(aboutClients, "%s: it starts something else: %v", where, err).try(in.rewrite(e))
	case err != nil:
		return failure(aboutClients, "%s: its server does not answer: %v", where, err).try(shell.Line(e.Command) + " </dev/null")
	case reply.Version != in.Program.Version:
		return warning(aboutClients, "%s: it starts handoff %s, and this is %s", where, reply.Version, in.Program.Version).
			try(in.mend(e))
	}
	return ok(aboutClients, "%s: its server answers, with %s", where, schemas.Counted(reply.Tools, "tool"))
}

// trial prepares the requests to the server of an entry. The server gets a temporary workspace.
func (in *installation) trial(e installed.Entry) live.Trial {
	return live.Trial{
		Machine: in.Machine, As: in.client.MCPName, Entry: e.ListedServer, HTTP: in.Web,
		Environ: []string{"HANDOFF_WORKSPACE=doctor"},
	}
}
