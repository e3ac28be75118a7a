package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// configWithoutName returns a server that announces its connection and has no configured agent name.
func configWithoutName(t *testing.T) mcp.Config {
	cfg := workspace(t)
	cfg.Caller.Conn = "conn"
	return cfg
}

// configWithStandIn returns a server whose connection is announced to a stand-in for the mailbox.
func configWithStandIn() (mcp.Config, *standIn) {
	s := newStandIn()
	cfg := config(s)
	cfg.Caller.Conn = "conn"
	return cfg, s
}

// begin has the first message of a client of each era, with its own name.
var begin = map[string]string{
	"initialize": initialize("claude-code", "2025-11-25"),
	"discover":   modernRequest(0, "server/discover", ""),
}

// toolCall returns a call as a client of that era makes it.
func toolCall(era string, id int, tool, args string) string {
	if era == "discover" {
		return modernRequest(id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args))
	}
	return callRequest(id, tool, args)
}

func TestConnectionName_DiffersForConnectionsOfOneServer(t *testing.T) {
	for era, hello := range begin {
		t.Run(era, func(t *testing.T) {
			server := mcp.New(configWithoutName(t))
			first, second := connectTo(t, server), connectTo(t, server)
			first.send(hello)
			require.Contains(t, parse(t, first.nextLine()).Result.Instructions, "\nYou are claude-code in workspace shop.\nNobody else is here")
			second.send(hello)
			require.Contains(t, parse(t, second.nextLine()).Result.Instructions,
				"\nYou are claude-code-2 in workspace shop.\nAlso here, by their own account: claude-code (live).\n")

			second.send(toolCall(era, 1, "send_handoff", `{"to":"claude-code","task":"Test it"}`))
			require.Contains(t, parse(t, second.nextLine()).text(), `"next":[{"say":"You are claude-code-2; also here: claude-code (live)."},{"say":"waits for outcome`)
			second.send(toolCall(era, 2, "claim_handoff", `{}`))
			require.Contains(t, parse(t, second.nextLine()).text(), `"next":[{"say":"waits for mail"`, "it is said once")
			first.send(toolCall(era, 1, "claim_handoff", `{}`))
			got := parse(t, first.nextLine()).text()
			require.Contains(t, got, `"from":"claude-code-2"`)
			require.Contains(t, got, `"next":[{"say":"You are claude-code; also here: claude-code-2 (live)."},{"say":"completes it`)

			require.NoError(t, first.closeInput())
			third := connectTo(t, server)
			third.send(hello)
			require.Contains(t, parse(t, third.nextLine()).Result.Instructions, "\nYou are claude-code in workspace shop.\n")
		})
	}
}

// Claude Code starts a server for each session.
func TestConnectionName_DiffersForEachClientSession(t *testing.T) {
	cfg := configWithoutName(t)
	for _, tt := range []struct{ conn, session, name string }{
		{"c1", "s1", "claude-code"}, {"c2", "s2", "claude-code-2"}, {"c3", "s2", "claude-code-2"},
	} {
		cfg.Caller.Conn, cfg.Caller.AgentID = tt.conn, tt.session
		c := connect(t, cfg)
		c.send(begin["initialize"])
		require.Contains(t, parse(t, c.nextLine()).Result.Instructions, "\nYou are "+tt.name+" ("+tt.session+") in workspace")
	}
}

// openCallInspector calls ask before each call of connection_open, and passes the call on if ask returns nil.
type openCallInspector struct {
	tools.Invoker
	asked atomic.Int64
	ask   func(n int64) error
}

func (d *openCallInspector) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool == "connection_open" {
		if err := d.ask(d.asked.Add(1)); err != nil {
			return nil, err
		}
	}
	return d.Invoker.Invoke(ctx, c)
}

func TestConnectionName_IsAskedOnceForConcurrentRequests(t *testing.T) {
	cfg, s := configWithoutName(t), newStandIn()
	cfg.Invoker = s
	closed := make(chan struct{})
	d := &openCallInspector{Invoker: cfg.Invoker, ask: func(int64) error { <-closed; return nil }}
	cfg.Invoker = d
	c := connect(t, cfg)
	for id := range 50 {
		c.send(modernRequest(id, "tools/call", `"name":"send_handoff","arguments":{}`))
	}
	c.send(ping(50))
	require.Equal(t, "50", string(parse(t, c.nextLine()).ID), "what needs no name goes on")
	require.Empty(t, s.callsOf("send_handoff"))
	close(closed)
	for range 50 {
		c.nextLine()
	}
	require.EqualValues(t, 1, d.asked.Load())
	require.JSONEq(t, `{"conn":"conn","client":"claude-code"}`, string(s.callsOf("connection_open")[0].Args))
	for _, made := range s.callsOf("send_handoff") {
		require.Equal(t, schemas.Caller{Agent: "claude-code", AgentID: "conn", Via: schemas.ViaStdio, Conn: "conn"}, made.Caller)
	}
}

func TestConnectionName_IsSentWhenConnectionCloses(t *testing.T) {
	cfg, s := configWithoutName(t), newStandIn()
	callAs(t, cfg, "claude-code", "connection_open", `{"conn":"conn-claude-code"}`)
	both := &recordingInvoker{cfg.Invoker, s}
	cfg.Invoker = both
	c := connect(t, cfg)
	c.send(begin["initialize"])
	c.nextLine()
	require.NoError(t, c.closeInput())
	closed := s.callsOf("connection_close")
	require.Len(t, closed, 1)
	require.Equal(t, schemas.Agent("claude-code-2"), closed[0].Caller.Agent)
	require.JSONEq(t, `{"conn":"conn","unused":true}`, string(closed[0].Args))
}

// A call that the server makes without a request of the client does not count as a use of the connection.
func TestConnectionName_CloseReportsUnusedConnection(t *testing.T) {
	for line, args := range map[string]string{
		ping(1): `{"conn":"conn","unused":true}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`: `{"conn":"conn","unused":true}`,
		callRequest(1, "list_agents", `{}`):                          `{"conn":"conn"}`,
		callRequest(1, "claim_handoff", `{}`):                        `{"conn":"conn"}`,
		readRequest("handoff://inbox"):                               `{"conn":"conn"}`,
	} {
		cfg, s := configWithStandIn()
		c := connect(t, cfg)
		c.send(begin["initialize"], line)
		c.nextLine()
		c.nextLine()
		require.NoError(t, c.closeInput())
		require.JSONEq(t, args, string(s.callsOf("connection_close")[0].Args), line)
	}
}

// A client that lists its servers connects to each for a moment.
func TestConnectionName_IsFreeAfterUnusedConnection(t *testing.T) {
	listing := map[string]string{
		"initialize": `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		"discover":   modernRequest(1, "tools/list", ""),
	}
	for era, hello := range begin {
		t.Run(era, func(t *testing.T) {
			cfg := configWithoutName(t)
			server := func(session string) *client {
				cfg.Caller.Conn, cfg.Caller.AgentID = "conn of "+session, session
				c := connect(t, cfg)
				c.send(hello)
				return c
			}
			require.Contains(t, parse(t, server("s1").nextLine()).Result.Instructions, "You are claude-code (s1)")
			for i := range 10 {
				c := server(fmt.Sprintf("l%d", i))
				require.Contains(t, parse(t, c.nextLine()).Result.Instructions, fmt.Sprintf("You are claude-code-2 (l%d)", i))
				c.send(listing[era])
				require.NotEmpty(t, parse(t, c.nextLine()).Result.Tools)
				require.NoError(t, c.closeInput())
			}
			require.Contains(t, parse(t, server("s2").nextLine()).Result.Instructions, "You are claude-code-2 (s2)")
		})
	}
}

// recordingInvoker makes each call at a stand-in first, which records the call, and then at the mailbox.
type recordingInvoker struct {
	tools.Invoker
	seen *standIn
}

func (w *recordingInvoker) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if _, err := w.seen.Invoke(ctx, c); err != nil {
		return nil, err
	}
	return w.Invoker.Invoke(ctx, c)
}

func TestConnectionName_UnannouncedConnectionIsNotClosed(t *testing.T) {
	cfg, s := configWithStandIn()
	c := connect(t, cfg)
	c.send(ping(1))
	c.nextLine()
	require.NoError(t, c.closeInput())
	require.Empty(t, s.calls)
}

// Codex names the calling thread in its calls, and its shells use that name.
func TestConnectionName_IsAnnouncedWithThread(t *testing.T) {
	cfg, s := configWithStandIn()
	c := connect(t, cfg)
	c.send(initialize("codex", "2025-06-18"))
	c.nextLine()
	for id, thread := range []string{"t1", "t1", "t2"} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"send_handoff","_meta":{"threadId":%q}}}`, id, thread))
		c.nextLine()
	}
	var known []string
	for _, made := range s.callsOf("connection_open") {
		known = append(known, made.Caller.AgentID)
		require.JSONEq(t, `{"conn":"conn","client":"codex"}`, string(made.Args))
	}
	require.Equal(t, []string{"conn", "t1"}, known)
}

func TestConnectionName_HasSessionOfClientOrConnection(t *testing.T) {
	cfg, s := configWithStandIn()
	cfg.Caller.AgentID = "of the surroundings"
	cfg.Session = func(a schemas.Agent) string { return map[schemas.Agent]string{"claude-code": "s1"}[a] }
	for client, id := range map[string]string{"claude-code": "s1", "gemini-cli": "conn"} {
		c := connect(t, cfg)
		c.send(initialize(client, "2025-06-18"))
		c.nextLine()
		made := s.callsOf("connection_open")
		require.Equal(t, id, made[len(made)-1].Caller.AgentID)
	}
}

func TestConnectionName_IsAnnouncedWithProcessOfClient(t *testing.T) {
	cfg, s := configWithStandIn()
	cfg.Parent = 41
	cfg.Process = func(a schemas.Agent) string { return map[schemas.Agent]string{"claude-code": "42"}[a] }
	server := mcp.New(cfg)
	for _, client := range []string{"claude-code", "gemini-cli"} {
		c := connectTo(t, server)
		c.send(initialize(client, "2025-06-18"))
		c.nextLine()
	}
	made := s.callsOf("connection_open")
	require.JSONEq(t, `{"conn":"conn","client":"claude-code","process":"42","parent":41}`, string(made[0].Args))
	require.JSONEq(t, `{"conn":"conn-2","client":"gemini-cli","parent":41}`, string(made[1].Args))
}

// The server tells a session about handoffs that another session left under its name.
func TestGreeting_CountsHeldHandoffs(t *testing.T) {
	cfg := configWithoutName(t)
	server := mcp.New(cfg)
	first := connectTo(t, server)
	first.send(begin["initialize"])
	require.NotContains(t, parse(t, first.nextLine()).Result.Instructions, "Unfinished")
	for range 3 {
		callAs(t, cfg, "boss", "send_handoff", `{"to":"claude-code","task":"Test it","options":{"force":true},"key":"`+cfg.NewRequestID()+`"}`)
	}
	first.send(callRequest(1, "claim_handoff", `{}`))
	first.nextLine()
	first.send(callRequest(2, "claim_handoff", `{}`))
	first.nextLine()
	require.NoError(t, first.closeInput())

	second := connectTo(t, server)
	second.send(begin["initialize"])
	require.Contains(t, parse(t, second.nextLine()).Result.Instructions,
		"Unfinished under this name: 2; claim_handoff takes them up, or names them.\nWaiting for you: 1 handoff (0 urgent), 0 unread notices.\n")
	require.Equal(t, schemas.ID(1), callTool[schemas.ClaimOut](second, "claim_handoff", `{}`).HandoffID)
}

func TestGreeting_IsNotSentToSubagent(t *testing.T) {
	cfg := configWithoutName(t)
	cfg.Caller.Agent = "lead"
	c := connect(t, cfg)
	c.send(callRequest(1, "get_handoff", `{"handoff_id":"9"}`), callRequest(2, "list_handoffs", `{"agent":"qa"}`), callRequest(3, "list_handoffs", `{}`))
	said := map[string]string{}
	for range 3 {
		a := parse(t, c.nextLine())
		said[string(a.ID)] = a.text()
	}
	require.NotContains(t, said["1"]+said["2"], "You are")
	require.Contains(t, said["3"], "You are lead; nobody else is here.")
}

func TestGreeting_IsShortWithManyAgents(t *testing.T) {
	cfg := configWithoutName(t)
	for i := range 300 {
		name := fmt.Sprintf("%s-%d", strings.Repeat("a", 60), i)
		callAs(t, cfg, schemas.Agent(name), "send_handoff", `{"to":"human","task":"x"}`)
	}
	callAs(t, cfg, "zoe", "connection_open", `{"conn":"conn-zoe"}`)
	callAs(t, cfg, "zoe", "send_handoff", `{"to":"human","task":"x"}`)
	cfg.Caller.Agent = schemas.Agent(strings.Repeat("x", 64))
	c := connect(t, cfg)
	next := listAdvice(c)
	require.LessOrEqual(t, utf8.RuneCountInString(next), 200)
	require.Contains(t, next, "; also here: zoe (live)")
	require.Contains(t, next, " more.")
}

// listAdvice lists the mail of a client, and returns the advice of the result as text.
func listAdvice(c *client) string {
	return schemas.RenderAdvice(callTool[struct{ Next []schemas.Advice }](c, "list_handoffs", `{}`).Next)
}

// If the mailbox has given no name, the next call asks for the name again.
func TestGreeting_WaitsForConfirmedName(t *testing.T) {
	cfg := configWithoutName(t)
	log := captureLog(&cfg)
	callAs(t, cfg, "claude-code", "connection_open", `{"conn":"conn-claude-code"}`)
	d := &openCallInspector{Invoker: cfg.Invoker, ask: func(n int64) error {
		if n <= 2 { // initialize, and the first call
			return schemas.Errorf(schemas.Unavailable, "not now")
		}
		return nil
	}}
	cfg.Invoker = d
	c := connect(t, cfg)
	c.send(begin["initialize"])
	require.Contains(t, parse(t, c.nextLine()).Result.Instructions, "You are claude-code in workspace")
	require.NotContains(t, listAdvice(c), "You are")
	require.Contains(t, listAdvice(c), "You are claude-code-2; also here: claude-code (live).")
	require.NotContains(t, listAdvice(c), "You are")
	require.EqualValues(t, 3, d.asked.Load())
	require.NoError(t, c.closeInput())
	require.Contains(t, log.String(), "connection not announced")
}

// otherVersionInvoker replaces an owner of another version. In its first results, the advice has a form that this
// version does not know.
type otherVersionInvoker struct {
	tools.Invoker
	results int
}

func (o *otherVersionInvoker) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool != "list_handoffs" || o.results == 0 {
		return o.Invoker.Invoke(ctx, c)
	}
	o.results--
	return json.RawMessage(`{"items":[],"next":"claim_handoff takes one"}`), nil
}

func TestGreeting_IsSentWithFirstReadableResult(t *testing.T) {
	cfg := configWithoutName(t)
	cfg.Caller.Agent, cfg.Invoker = "lead", &otherVersionInvoker{cfg.Invoker, 1}
	c := connect(t, cfg)
	c.send(callRequest(1, "list_handoffs", `{}`))
	require.JSONEq(t, `{"items":[],"next":"claim_handoff takes one"}`, parse(t, c.nextLine()).text())
	require.Contains(t, listAdvice(c), "You are lead; nobody else is here.")
}
