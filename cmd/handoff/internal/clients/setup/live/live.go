// Package live asks an MCP server the first questions of a client: the server's name, the client's own agent name, and
// the tools. The answers show whether a configuration works before a client reads it.
//
// The package writes these few messages itself and does not use the client of the MCP SDK, because a configuration may
// name any program or address. The SDK's client skips lines that are no messages until its time is over, reads lines of
// any length, and does not compare the ids of answers over HTTP. In this package, the first line that is not MCP ends
// the trial and is shown to the person. Tokens are masked before a text is shortened.
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

// A ServerReply is the answer of a server.
type ServerReply struct {
	Name    string `json:"name"`    // of the server
	Version string `json:"version"` // of the server
	You     string `json:"you"`     // the sentence that tells the client its agent name; empty: there was none
	Tools   int    `json:"tools"`
}

// setGreeting takes the server's name, its version and the client's agent name from a result. The error is an
// [*NotHandoffError].
func (r *ServerReply) setGreeting(said rpcResult) error {
	about := cmp.Or(said.ServerInfo, said.Meta.ServerInfo) // its position depends on the revision
	r.Name, r.Version = about.Name, about.Version
	if r.Name != client.ServerName {
		return &NotHandoffError{r.Name}
	}
	for line := range strings.Lines(said.Instructions) {
		if strings.HasPrefix(line, "You ") {
			r.You = strings.TrimSpace(line)
			break
		}
	}
	return nil
}

// NotHandoffError is the error of a server that speaks MCP and is not handoff.
type NotHandoffError struct {
	Name string // the name in the server's answer
}

func (a *NotHandoffError) Error() string {
	return fmt.Sprintf("the server is %.80q, and not handoff", a.Name)
}

// ErrRefused says that a server demands a token, or another token.
var ErrRefused = errors.New("it does not take the token")

// errSilent says that a server ended before it answered.
var errSilent = errors.New("it ended without an answer")

// A rpcMessage is a message of a server over JSON-RPC: a reply to one of our requests, or something else.
type rpcMessage struct {
	ID     json.RawMessage
	Method string // of a request or a notification; empty in a reply
	Result rpcResult
	Error  *struct {
		Message string
	}
}

type rpcResult struct {
	ServerInfo   serverInfo
	Instructions string
	Tools        []json.RawMessage
	Meta         struct {
		ServerInfo serverInfo `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

type serverInfo struct{ Name, Version string }

// parseReply reads a message. Ok reports whether the message is the reply to the request with this id. An error without an
// id also counts as the reply, because a server sends it if it did not understand the request.
func parseReply(text []byte, id int) (r rpcResult, ok bool, err error) {
	var m rpcMessage
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
	As      string // the name that the client gives
	Entry   client.ListedServer

	Environ []string // more variables for the program, next to the machine's and the entry's
	Nowhere bool     // the program runs in no project
	Token   string   // for the address; empty: none is sent
	HTTP    *http.Client
}

// Ask starts the program of the entry, or calls its address. When ctx ends, Ask kills the program and all processes
// that the program left behind. The error is a [*NotHandoffError] if the server is not handoff, and [ErrRefused] if the
// server refuses the token.
func (t Trial) Ask(ctx context.Context) (ServerReply, error) {
	if t.Entry.URL != "" {
		r, err := converse("server/discover", func(id int, method string) (rpcResult, error) { return t.askAddress(ctx, id, method) })
		return r, t.maskTokenInError(err) // the server may repeat the token
	}
	return t.askProgram(ctx)
}

// converse asks the server for its name, and for its tools.
func converse(hello string, ask func(id int, method string) (rpcResult, error)) (r ServerReply, err error) {
	said, err := ask(1, hello)
	if err != nil {
		return r, err
	}
	if err := r.setGreeting(said); err != nil {
		return r, err
	}
	said, err = ask(2, "tools/list")
	r.Tools = len(said.Tools)
	return r, err
}
