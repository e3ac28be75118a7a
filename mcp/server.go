// Package mcp speaks the Model Context Protocol. It offers the rows of [tools.Table] to a client, with instructions,
// prompts, resources and completion around them, and turns each use of any of these into calls of one [tools.Invoker].
// It decides nothing about handoffs.
//
// The SDK checks and dispatches messages of all revisions of the protocol: of 2026-07-28, where each request names its
// client, and of earlier ones, which begin with initialize. Tool calls that need no check of the SDK bypass it. This
// file configures the SDK, and the other files are named after their subjects. Names of files of the HTTP transport
// begin with http.
//
// We implement both transports, on top of the SDK's HandleMessage. The SDK's own transport over two streams gives
// requests to a fixed number of workers: a cancellation right behind its request is lost, a call may overtake the
// initialize that names the client, responses are dropped at the end of input, and as many long polls as there are
// workers block all other calls. [Endpoint] gives the reasons against the SDK's HTTP transport.
//
// # Decisions
//
// A call waits for no worker: each request has a goroutine of its own, 4,096 at most. One pass over a message finds the
// arguments of a call (package jsonrpc), because the SDK would decode them several times. The SDK gets an empty object
// in place of the arguments, and checks the rest: the envelope, the revision, the headers. A message of an unusual form
// goes to the SDK whole. A fuzz test checks that both ways give the same response. Others compare our encoding of
// results and of the list of tools with encoding/json.
//
// If a client hangs up, its long polls are cancelled, because they would claim handoffs without a reader. All its other
// calls are finished, because in older revisions hanging up is no cancellation. After the end of input on stdio, a
// client still gets the responses to its requests.
//
// A claim whose response could not be delivered is released, and counts as no attempt: only that response named the
// handoff. The exception is a request that its load balancer named (see [RequestHeader]): its claim is not released,
// because the balancer may have got the response from another server.
//
// Over HTTP a claim belongs to the MCP session. No connection shows that an agent left, so leases expire by time. The
// session that claimed a handoff may complete it without the claim token. If a client names data that it cannot prove,
// such as its thread, the server appends this data to data that the client has proved, such as the id of its session.
// Since revision 2026-07-28 two workers with one bearer token cannot be distinguished, so there only the claim token
// proves a claim.
//
// HTTP and stdio stay in one package: the HTTP transport uses about thirty names of the rest of the package, and the
// rest uses no name of the HTTP transport. In two packages these names would have to be exported for one importer.
package mcp

import (
	"cmp"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
	"handoff/tools"
)

// Config wires a [Server]. Invoker and NewRequestID are required.
type Config struct {
	Invoker tools.Invoker

	// Caller has the facts about the caller that the connection proves. The server fills in its empty fields for each
	// request: Agent with the result of Name, and AgentID with the client's thread, else with the result of Session,
	// else with Conn. The server appends a number to Conn for each connection after the first. If Conn is empty, the
	// server does not announce connections to the mailbox.
	Caller schemas.Caller

	// Name returns the name of the agent for a client's own name. The server uses it if Caller has no agent. It must be
	// fast and always return the same name for a client. Default: [AgentNameOf].
	Name func(client string) schemas.Agent

	// Session returns the id of the client session for the name that Name returned, "" if the environment does not
	// contain the id. It must be fast and always return the same id for a name. Default: the AgentID of Caller.
	Session func(schemas.Agent) string

	// Process returns the id of the client's process for the name that Name returned, "" if it is unknown. Default: "".
	Process func(schemas.Agent) string

	// Parent is the id of the process that started this one for its only connection. It is zero if there is no such
	// process.
	Parent int

	NewRequestID func() string // returns a new id for a [tools.Call]

	Now func() time.Time // required; a result leaves out the times that are recent by it

	Version string // of this program

	// Workspace returns the name of the workspace for people and models, and a warning about the workspace, "" for
	// none. The instructions and the next answer of each connection tell a warning. Workspace is called for each tool
	// call, so it must be fast. Default: "" and "".
	Workspace func() (name, warning string)

	// UseRoots is given if the server may have to ask its clients for their projects. It reports whether the server
	// knows its project. If not, it first takes the first of the client's root directories that is a project.
	UseRoots func(dirs []string) (known bool)

	// MayAskPerson reports whether the person allows forms in sessions of clients. Default: no.
	MayAskPerson func() bool

	Extension Extension

	Drain  time.Duration // time limit for calls in flight after the end of input, default 5 s
	Logger *slog.Logger  // default: discards
}

// Extension holds tools and tasks that a program adds to those of handoff, such as the tools that a conformance suite
// calls. The zero value adds nothing.
type Extension struct {
	Extend func(*server.MCPServer) // adds tools, prompts and resources under other names than those of handoff
	Tasks  TaskKeeper              // keeps the tasks of these tools, see [AnswerWithTask]; nil for none
}

// Server serves the Model Context Protocol. It may serve several connections at once, over streams
// ([Server.ServeStdio]) and over HTTP ([Server.NewEndpoint]). Use [New].
type Server struct {
	config Config
	sdk    *server.MCPServer
	served atomic.Int64 // connections so far

	sealing atomic.Pointer[string] // nil before its first use, see [Server.seal]
}

const serverName, serverTitle = "handoff", "Handoff"

// catalogTTL is the time for which clients may reuse the lists of tools, prompts and resources, in milliseconds. The
// lists never change while the program runs.
const catalogTTL = 5 * 60 * 1000

// New returns a server.
func New(c Config) *Server {
	if c.Name == nil {
		c.Name = AgentNameOf
	}
	if c.Session == nil {
		c.Session = func(schemas.Agent) string { return c.Caller.AgentID }
	}
	if c.Process == nil {
		c.Process = func(schemas.Agent) string { return "" }
	}
	if c.Workspace == nil {
		c.Workspace = func() (name, warning string) { return "", "" }
	}
	c.Drain = cmp.Or(c.Drain, 5*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Server{config: c}
	s.sdk = server.NewMCPServer(serverName, c.Version,
		server.WithTitle(serverTitle),
		server.WithExtensions(map[string]any{tasksExtension: struct{}{}}),
		server.WithHooks(s.sdkHooks()),
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
	if c.Extension.Extend != nil {
		c.Extension.Extend(s.sdk)
	}
	return s
}

// newConnID returns the name of a new connection.
func (s *Server) newConnID() string {
	conn := s.config.Caller.Conn
	if n := s.served.Add(1); conn != "" && n > 1 {
		conn += "-" + strconv.FormatInt(n, 10)
	}
	return conn
}

func (s *Server) sdkHooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterInitialize(s.onInitialize)
	h.AddAfterDiscover(s.onDiscover)
	h.AddAfterListTools(describeTools)
	h.AddBeforeCallTool(s.redirectUnknownTool)
	h.AddBeforeReadResource(storeResourceURI)
	h.AddAfterSubscribe(s.onSubscribe)
	h.AddAfterUnsubscribe(s.onUnsubscribe)
	h.AddBeforeSubscriptionsListen(s.onListen)
	h.AddOnUnregisterSession(s.onUnregister)
	return h
}
