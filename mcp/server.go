// Package mcp speaks the Model Context Protocol: it offers the rows of [tools.Table] to a client, puts
// instructions, prompts, resources and completion around them, and turns each use of any of these into
// calls of one [tools.Invoker]. It decides nothing about handoffs.
//
// The SDK checks and dispatches messages in both eras of the protocol: 2026-07-28, where each
// request says who asks, and the revisions before it, which begin with initialize. What the SDK is told
// once is in this file; a tool call is followed in call.go, everything else lives in the file of its name.
//
// The transport over two streams (stdio.go, conn.go) is ours, on top of the SDK's HandleMessage. The SDK's own
// transport hands requests to a fixed number of workers: a cancellation that follows closely on its request
// is lost, a call may overtake the initialize that says who calls, answers are dropped at end of input, and
// as many waiting calls as there are workers stop every other call.
package mcp

import (
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools"
)

// MaxLine is the longest message that is accepted over any transport, in bytes.
const MaxLine = jsonrpc.MaxLine

// Config wires a [Server]. Invoker and NewRequestID are required.
type Config struct {
	Invoker tools.Invoker

	// Caller is who calls, as far as the connection proves it. What it leaves empty is filled per
	// request: Agent by Name, AgentID by the thread that the client names, else by Session, else by Conn.
	// Each connection after the first has a number behind Conn; without one, nobody is told of connections.
	Caller schemas.Caller

	// Name gives the agent behind a client's own name, for callers without one. The mailbox numbers it
	// while another connection has it. It is asked for every request, so it is quick and stays with its
	// answer. Default: [AgentOf].
	Name func(client string) schemas.Agent

	// Session gives the id of the session of a client that is given the name of an agent, where the
	// surroundings tell it. It is quick and stays with its answer. Default: the AgentID of Caller.
	Session func(schemas.Agent) string

	// Process gives the process of a client that is given the name of an agent, as the shells that it starts
	// know it, empty for one whose shells do not. Default: nothing is known.
	Process func(schemas.Agent) string

	// Parent is the process that started this one to open the only connection, zero where none did.
	Parent int

	NewRequestID func() string // see [tools.Call]

	Version   string // of this program
	Workspace string // its name, for people and models

	Drain  time.Duration // how long calls in flight may take after the end of input, default 5 s
	Logger *slog.Logger  // default: discards
}

// Server is one protocol server. It may serve several connections, one after another or at once.
type Server struct {
	config  Config
	sdk     *server.MCPServer
	watches watches
	served  atomic.Int64 // connections so far
}

// catalogTTL is how long clients may reuse the lists of tools, prompts and resources, in milliseconds.
// These never change while the program runs.
const catalogTTL = 5 * 60 * 1000

// New makes a server. It panics when a row of the table cannot be offered.
func New(c Config) *Server {
	if c.Name == nil {
		c.Name = AgentOf
	}
	if c.Session == nil {
		c.Session = func(schemas.Agent) string { return c.Caller.AgentID }
	}
	if c.Process == nil {
		c.Process = func(schemas.Agent) string { return "" }
	}
	if c.Drain == 0 {
		c.Drain = 5 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c}
	s.watches.server = s
	s.sdk = server.NewMCPServer("handoff", c.Version,
		server.WithTitle("Handoff"),
		server.WithHooks(s.hooks()),
		server.WithToolCapabilities(false),
		server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{s}),
		server.WithResourceCompletionProvider(completer{s}),
		server.WithMethodCacheHints("tools/list", catalogTTL, "public"),
		server.WithMethodCacheHints("prompts/list", catalogTTL, "public"),
		server.WithMethodCacheHints("resources/list", catalogTTL, "public"),
		server.WithMethodCacheHints("resources/templates/list", catalogTTL, "public"),
	)
	s.addTools()
	s.addPrompts()
	s.addResources()
	return s
}

// newConnID names a connection.
func (s *Server) newConnID() string {
	conn := s.config.Caller.Conn
	if n := s.served.Add(1); conn != "" && n > 1 {
		conn += "-" + strconv.FormatInt(n, 10)
	}
	return conn
}

func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterInitialize(s.introduceLegacy)
	h.AddAfterDiscover(s.introduce)
	h.AddBeforeCallTool(catchUnknown)
	h.AddBeforeReadResource(noteResource)
	h.AddAfterSubscribe(s.watches.subscribed)
	h.AddAfterUnsubscribe(s.watches.unsubscribed)
	h.AddBeforeSubscriptionsListen(s.watches.listening)
	h.AddOnUnregisterSession(s.watches.gone)
	return h
}
