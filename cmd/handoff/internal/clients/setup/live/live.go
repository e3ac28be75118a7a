// Package live sends an MCP server the first requests of a client. The server replies with its name, the agent name
// that it gives to the client, and its tools. The replies show whether an entry works before a client uses it.
//
// The package does not use the client of the MCP SDK, because an entry may name any program or address. That client
// would skip every line that is not MCP until a timeout, and read lines of any length. Here the first line that is not
// MCP ends the trial, and the person sees the line. All texts from a server are shown without the token.
package live

import (
	"cmp"
	"context"
	"crypto/x509"
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

	Agents []string `json:"agents,omitempty"` // the agents of the token; empty: none was sent
}

// setGreeting copies the server's name and version and the client's agent name from a result. The error is a
// [*NotHandoffError].
func (r *ServerReply) setGreeting(said rpcResult) error {
	about := cmp.Or(said.ServerInfo, said.Meta.ServerInfo) // its position depends on the revision
	r.Name, r.Version, r.Agents = about.Name, about.Version, said.Meta.Agents
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

// NotHandoffError says that a server speaks MCP and is not handoff.
type NotHandoffError struct {
	Name string // the name in the server's answer
}

func (a *NotHandoffError) Error() string {
	return fmt.Sprintf("the server is %.80q, and not handoff", a.Name)
}

// ErrRefused says that a server demands a token, or refuses the one that it got.
var ErrRefused = errors.New("it does not take the token")

// IsUntrusted reports whether nobody whom this machine trusts signed the certificate of the server.
func IsUntrusted(err error) bool {
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

// errSilent says that a server ended before it answered.
var errSilent = errors.New("it ended without an answer")

// An rpcMessage is a JSON-RPC message from a server: a reply, a request or a notification.
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
		Agents     []string   `json:"handoff/agents"`
	} `json:"_meta"`
}

type serverInfo struct{ Name, Version string }

// parseReply parses a message. Ok reports whether the message is the reply to the request with this id. An error
// without an id is the reply, too: a server sends it if it did not understand the request.
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

// A Trial describes the requests to the server of an entry, and the client in whose name they are sent.
type Trial struct {
	Machine client.Machine
	As      string // the name that the client gives
	Entry   client.ListedServer

	Token string // for the address; empty: none is sent
	HTTP  *http.Client
}

// Ask starts the program of the entry, or calls its address, and returns the server's replies. When ctx ends, Ask kills
// the program and the processes that the program started. The error is a [*NotHandoffError] if the server is not
// handoff, and [ErrRefused] if the server refuses the token.
func (t Trial) Ask(ctx context.Context) (ServerReply, error) {
	if t.Entry.URL != "" {
		r, err := askNameAndTools("server/discover", func(id int, method string) (rpcResult, error) { return t.askAddress(ctx, id, method) })
		return r, t.maskTokenInError(err) // the server may repeat the token
	}
	return t.askProgram(ctx)
}

// askNameAndTools asks the server for its name, and for its tools.
func askNameAndTools(hello string, ask func(id int, method string) (rpcResult, error)) (r ServerReply, err error) {
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
