package live

import (
	"context"
	"net/http"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Trial asks the server of an entry as the client of the entry would.
type Trial struct {
	Machine client.Machine
	As      string // the name by which the client calls itself
	Entry   client.Listed

	Environ []string // for the program, besides what the machine and the entry have
	Nowhere bool     // the program runs in no project
	Token   string   // for the address; empty: none is sent
	HTTP    *http.Client
}

// Ask starts the program of the entry, or calls its address. When ctx ends it kills the program and what that left
// running. The error is an [*Another] if the server is not handoff, and [ErrRefused] if it does not take the token.
func (t Trial) Ask(ctx context.Context) (Reply, error) {
	if t.Entry.URL != "" {
		return t.call(ctx)
	}
	return t.start(ctx)
}

// A question is what a client asks a server first.
type question struct {
	id     int
	method string
}

// conversed asks who the server is, and for its tools.
func conversed(hello string, ask func(question) (result, error)) (r Reply, err error) {
	said, err := ask(question{1, hello})
	if err != nil {
		return r, err
	}
	if err := r.greeted(said); err != nil {
		return r, err
	}
	said, err = ask(question{2, "tools/list"})
	r.Tools = len(said.Tools)
	return r, err
}
