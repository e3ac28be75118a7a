package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/toolstest"
)

// workspace returns a real mailbox in memory, and the configuration of a server over it. Its clock stands still.
func workspace(t *testing.T) mcp.Config {
	t.Helper()
	cfg := config(newStandIn())
	cfg.Invoker = toolstest.AdviceChecker{Invoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t).Service}, TB: t}
	return cfg
}

// callAs makes a call of an agent that is no client of the server.
func callAs(t *testing.T, cfg mcp.Config, agent schemas.Agent, tool, args string) {
	t.Helper()
	_, err := cfg.Invoker.Invoke(t.Context(), tools.Call{
		ID: cfg.NewRequestID(), Tool: tool, Args: json.RawMessage(args),
		Caller: schemas.Caller{Agent: agent, Conn: "conn-" + string(agent), Via: schemas.ViaStdio},
	})
	require.NoError(t, err)
}

// connectAs connects a client whose server was started under that name.
func connectAs(t *testing.T, cfg mcp.Config, name schemas.Agent) *client {
	t.Helper()
	cfg.Caller.Agent, cfg.Caller.Conn = name, "conn-"+cfg.NewRequestID()
	c := connect(t, cfg)
	c.send(initialize("claude-code", "2025-11-25"))
	c.nextLine()
	return c
}

// callTool calls a tool that succeeds.
func callTool[Out any](c *client, tool, args string) (out Out) {
	c.t.Helper()
	c.send(callRequest(1, tool, args))
	got := parse(c.t, c.nextLine())
	require.False(c.t, got.Result.IsError, got.text())
	require.NoError(c.t, json.Unmarshal(got.Result.StructuredContent, &out))
	return out
}

// sendWork sends n handoffs to qa.
func sendWork(t *testing.T, cfg mcp.Config, n int) {
	t.Helper()
	for range n {
		callAs(t, cfg, "architect", "send_handoff", `{"to":"qa","task":"Test the login"}`)
	}
}
