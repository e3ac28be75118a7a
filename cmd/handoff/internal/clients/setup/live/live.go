// Package live asks an MCP server what a client would ask it first: who it is, who it says the client is, and for its
// tools. That tells whether a configuration works before a client reads it.
//
// The package writes these few messages itself, because what it asks may be anything that somebody configured. The
// client of the SDK passes over lines that are no messages until the time is over, reads lines of any length and
// compares no ids of answers over HTTP. Here the first thing that is not MCP ends the trial and is shown, and a
// token is masked before anything is cut off.
package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Reply is what a server said.
type Reply struct {
	Name    string `json:"name"`    // of the server
	Version string `json:"version"` // of the server
	You     string `json:"you"`     // the sentence that tells the client who it is; empty: it said none
	Tools   int    `json:"tools"`
}

// greeted takes what a server says of itself and of its client. The error is an [*Another].
func (r *Reply) greeted(said result) error {
	about := cmp.Or(said.ServerInfo, said.Meta.ServerInfo) // where it stands depends on the revision
	r.Name, r.Version = about.Name, about.Version
	if r.Name != client.ServerName {
		return &Another{r.Name}
	}
	for line := range strings.Lines(said.Instructions) {
		if strings.HasPrefix(line, "You ") {
			r.You = strings.TrimSpace(line)
			break
		}
	}
	return nil
}

// Another is the error of a server that speaks MCP and is not handoff.
type Another struct {
	Name string // that the server gives itself
}

func (a *Another) Error() string {
	return fmt.Sprintf("what answers is %.80q, and not handoff", a.Name)
}

// ErrRefused says that a server wants another token, or wants one at all.
var ErrRefused = errors.New("it does not take the token")

// errSilent says that a server ended before it answered.
var errSilent = errors.New("it ended without an answer")

// A message is what a server says over JSON-RPC: a reply to one of our requests, or something else.
type message struct {
	ID     json.RawMessage
	Method string // of a request or a notification; empty in a reply
	Result result
	Error  *struct {
		Message string
	}
}

type result struct {
	ServerInfo   info
	Instructions string
	Tools        []json.RawMessage
	Meta         struct {
		ServerInfo info `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

type info struct{ Name, Version string }

// replyTo reads a message; ok tells whether it is the reply to the request with this id. An error without an id is:
// the server did not understand the request.
func replyTo(text []byte, id int) (r result, ok bool, err error) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return r, false, fmt.Errorf("it answered with something else than MCP: %.80q", text)
	}
	nobodys := m.Error != nil && (m.ID == nil || string(m.ID) == "null")
	switch {
	case m.Method != "" || string(m.ID) != strconv.Itoa(id) && !nobodys:
		return r, false, nil
	case m.Error != nil:
		return r, true, errors.New(m.Error.Message)
	}
	return m.Result, true, nil
}

// A Trial asks the server of an entry as the client of the entry would.
type Trial struct {
	Machine client.Machine
	As      string // the name by which the client calls itself
	Entry   client.ListedServer

	Environ []string // for the program, besides what the machine and the entry have
	Nowhere bool     // the program runs in no project
	Token   string   // for the address; empty: none is sent
	HTTP    *http.Client
}

// Ask starts the program of the entry, or calls its address. When ctx ends it kills the program and what that left
// running. The error is an [*Another] if the server is not handoff, and [ErrRefused] if it does not take the token.
func (t Trial) Ask(ctx context.Context) (Reply, error) {
	if t.Entry.URL != "" {
		r, err := conversed("server/discover", func(id int, method string) (result, error) { return t.post(ctx, id, method) })
		return r, t.hidden(err) // the server may repeat the token
	}
	return t.start(ctx)
}

// conversed asks who the server is, and for its tools.
func conversed(hello string, ask func(id int, method string) (result, error)) (r Reply, err error) {
	said, err := ask(1, hello)
	if err != nil {
		return r, err
	}
	if err := r.greeted(said); err != nil {
		return r, err
	}
	said, err = ask(2, "tools/list")
	r.Tools = len(said.Tools)
	return r, err
}
