package mcp_test

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/tools"
)

// workspace is a real mailbox in memory, and what a server over it needs. Its clock stands still.
func workspace(t *testing.T) mcp.Config {
	t.Helper()
	kept := store.New(memory.New())
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	var ids atomic.Int64
	cfg := config(newStandIn())
	cfg.Invoker = tools.Local{Mailbox: mailbox.New(mailbox.Config{
		Store: kept,
		Now:   func() time.Time { return time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC) },
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, ids.Add(1)) },
	})}
	return cfg
}

// act makes a call of an agent that is no client of the server.
func act(t *testing.T, cfg mcp.Config, agent schemas.Agent, tool, args string) {
	t.Helper()
	_, err := cfg.Invoker.Invoke(t.Context(), tools.Call{
		ID: cfg.NewRequestID(), Tool: tool, Args: json.RawMessage(args),
		Caller: schemas.Caller{Agent: agent, Conn: "conn-" + string(agent), Via: schemas.ViaStdio},
	})
	require.NoError(t, err)
}

// join connects a client whose server was started under that name.
func join(t *testing.T, cfg mcp.Config, name schemas.Agent) *client {
	t.Helper()
	cfg.Caller.Agent, cfg.Caller.Conn = name, "conn-"+cfg.NewRequestID()
	c := connect(t, cfg)
	c.send(initialize("claude-code", "2025-11-25"))
	c.next()
	return c
}

// do calls a tool that succeeds.
func do[Out any](c *client, tool, args string) (out Out) {
	c.t.Helper()
	c.send(call(1, tool, args))
	got := parse(c.t, c.next())
	require.False(c.t, got.Result.IsError, got.text())
	require.NoError(c.t, json.Unmarshal(got.Result.StructuredContent, &out))
	return out
}

// sendWork leaves that many handoffs for qa.
func sendWork(t *testing.T, cfg mcp.Config, n int) {
	t.Helper()
	for range n {
		act(t, cfg, "architect", "send_handoff", `{"to":"qa","task":"Test the login"}`)
	}
}
