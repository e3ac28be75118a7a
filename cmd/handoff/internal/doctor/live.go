package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
	"handoff/cmd/handoff/internal/setup"
	"handoff/cmd/handoff/internal/setup/live"
)

// starting is how long a server may take to answer. Clients wait longer.
const starting = 5 * time.Second

// examineEntry examines one entry: it starts the server as the client does, or calls it, and asks it what a client asks
// first.
func (in *installation) examineEntry(ctx context.Context, e installed.Entry, b Bench) Finding {
	where := in.client.Title + " (" + string(e.Scope) + ")"
	stranger := e.Shared && !e.Written(in.wished(e, b.Machine))
	switch {
	case e.Off:
		return warning(aboutClients, "%s: the server is switched off in %s", where, e.Path).remedied("%s", in.again(e))
	case e.URL == "" && len(e.Command) == 0:
		return failure(aboutClients, "%s: the entry in %s names no server", where, e.Path).remedied("%s", in.again(e))
	case stranger && e.URL != "":
		return skipped(aboutNetwork, "%s: the address in %s came with the project, and is not called", where, e.Path)
	case stranger:
		return in.untried(aboutClients, e.Path, true)
	case e.URL != "":
		return in.examineAddress(ctx, e, b, where)
	case strings.Contains(e.Command[0], "${"):
		return skipped(aboutClients, "%s: %s is for the client to find", where, e.Command[0])
	}
	return in.examineProgram(ctx, e, b, where)
}

// wished gives the server that setup was told last to write where an entry stands; an empty one if it never was.
func (in *installation) wished(e installed.Entry, m client.Machine) client.Server {
	return setup.Setter{Dir: setup.Receipts(m)}.AsBefore(in.client, setup.Wish{Machine: m, Scope: e.Scope}).Server
}

// examineProgram examines an entry that names a program.
func (in *installation) examineProgram(ctx context.Context, e installed.Entry, b Bench, where string) Finding {
	path := b.Machine.Program(e.Command[0])
	if path == "" {
		return failure(aboutClients, "%s: %s, which it starts, is not there", where, e.Command[0]).remedied("%s", in.mend(e, b))
	}
	answer, err := in.start(ctx, e, path, b.Machine)
	switch {
	case err != nil:
		return failure(aboutClients, "%s: its server does not answer: %v", where, err).remedied("%s", client.Line(e.Command))
	case answer.Name != client.ServerName:
		return failure(aboutClients, "%s: what it starts is %q, and not handoff", where, answer.Name).remedied("%s", in.again(e))
	case answer.Version != b.Program.Version:
		return warning(aboutClients, "%s: it starts handoff %s, and this is %s", where, answer.Version, b.Program.Version).remedied("%s", in.again(e))
	}
	return ok(aboutClients, "%s: its server answers, with %s", where, counted(answer.Tools, "tool"))
}

// mend is the command by which the program of an entry is found again. One that is named, and not given by its path,
// has to be on PATH.
func (in *installation) mend(e installed.Entry, b Bench) string {
	if e.Command[0] == client.ServerName {
		return "ln -s " + client.Quoted(b.Program.Path) + " ~/.local/bin/" + client.ServerName
	}
	return in.again(e)
}

func (in *installation) start(ctx context.Context, e installed.Entry, path string, m client.Machine) (live.Answer, error) {
	ctx, end := context.WithTimeout(ctx, starting)
	defer end()
	return live.Program{
		Command: append([]string{path}, e.Command[1:]...), Dir: m.Project, As: in.client.Calls,
		Environ: slices.Concat(m.Environ(), e.Environ, []string{"HANDOFF_WORKSPACE=" + scratchName}),
	}.AskAside(ctx)
}

// scratchName is that of workspaces that are made only to try something.
const scratchName = "doctor"
