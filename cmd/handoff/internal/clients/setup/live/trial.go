package live

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Trial asks the server of an entry as the client of the entry would.
type Trial struct {
	Machine client.Machine
	As      string // the name by which the client calls itself
	Entry   client.Listed

	Environ []string // for the program, besides what the machine and the entry have
	Nowhere bool     // the program runs in no project
	Token   string   // for the address
	HTTP    *http.Client
}

// Ask starts the program of the entry, as [Program.AskAside] does, or calls its address, as [Address.Ask] does.
func (t Trial) Ask(ctx context.Context) (Reply, error) {
	if t.Entry.URL != "" {
		return Address{URL: t.Entry.URL, Token: t.Token, Agent: t.Entry.Agent, As: t.As, HTTP: t.HTTP}.Ask(ctx)
	}
	p := Program{
		Command: slices.Clone(t.Entry.Command), As: t.As,
		Environ: slices.Concat(t.Machine.Environ(), t.Entry.Environ, t.Environ),
	}
	p.Command[0] = cmp.Or(t.Machine.Program(p.Command[0]), p.Command[0])
	if !t.Nowhere {
		p.Dir = t.Machine.Project
	}
	return p.AskAside(ctx)
}
