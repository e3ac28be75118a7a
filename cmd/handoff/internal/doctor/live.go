package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/live"
)

// starting is how long a server may take to answer. Clients wait longer.
const starting = 5 * time.Second

// entry examines one entry: it starts the server as the client does, and asks it what a client asks first.
func (in *installation) entry(ctx context.Context, e entry, b Bench) Finding {
	where := in.client.Title + " (" + e.scope + ")"
	switch {
	case e.Off:
		return warning(aboutClients, "%s: the server is switched off in %s", where, e.path).remedied("%s", in.again(e))
	case e.URL != "" && e.shared:
		return skipped(aboutNetwork, "%s: the address in %s came with the project, and is not called", where, e.path)
	case e.URL != "":
		return in.address(ctx, e, b, where)
	case len(e.Command) == 0:
		return failure(aboutClients, "%s: the entry in %s names no server", where, e.path).remedied("%s", in.again(e))
	case e.shared && !e.isWritten():
		return in.foreign(aboutClients, e.path, true)
	case strings.Contains(e.Command[0], "${"):
		return skipped(aboutClients, "%s: %s is for the client to find", where, e.Command[0])
	}
	path := b.Machine.Program(e.Command[0])
	if path == "" {
		return failure(aboutClients, "%s: %s, which it starts, is not there", where, e.Command[0]).remedied("%s", in.mend(e, b))
	}
	answer, err := in.start(ctx, e, path, b.Machine)
	switch {
	case err != nil:
		return failure(aboutClients, "%s: its server does not answer: %v", where, err).remedied("%s", quoted(e.Command))
	case answer.Name != client.ServerName:
		return failure(aboutClients, "%s: what it starts is %q, and not handoff", where, answer.Name).remedied("%s", in.again(e))
	case answer.Version != b.Program.Version:
		return warning(aboutClients, "%s: it starts handoff %s, and this is %s", where, answer.Version, b.Program.Version).remedied("%s", in.again(e))
	}
	return ok(aboutClients, "%s: its server answers, with %s", where, counted(answer.Tools, "tool"))
}

// mend is the command by which the program of an entry is found again. One that is named, and not given by its path,
// has to be on PATH.
func (in *installation) mend(e entry, b Bench) string {
	if e.Command[0] == client.ServerName {
		return "ln -s " + client.Quoted(b.Program.Path) + " ~/.local/bin/" + client.ServerName
	}
	return in.again(e)
}

func (in *installation) start(ctx context.Context, e entry, path string, m client.Machine) (live.Answer, error) {
	ctx, end := context.WithTimeout(ctx, starting)
	defer end()
	return live.Program{
		Command: append([]string{path}, e.Command[1:]...), Dir: m.Project, As: in.client.Calls,
		Environ: slices.Concat(m.Environ(), e.Environ, []string{"HANDOFF_WORKSPACE=" + scratchName}),
	}.AskAside(ctx)
}

// scratchName is that of workspaces that are made only to try something.
const scratchName = "doctor"
