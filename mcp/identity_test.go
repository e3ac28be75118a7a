package mcp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

func TestCaller_HasNameOfClient(t *testing.T) {
	for _, lines := range [][]string{
		{initialize("claude-code", "2025-11-25"), callRequest(1, "send_handoff", `{}`)},
		{modernRequest(0, "server/discover", ""), modernRequest(1, "tools/call", `"name":"send_handoff"`)},
	} {
		s := newStandIn()
		c := connect(t, config(s))
		c.send(lines...)
		c.nextLine()
		c.nextLine()
		require.Equal(t, schemas.Agent("claude-code"), s.callsOf("send_handoff")[0].Caller.Agent)
	}
}

// All messages at once, as a script sends them: no call may overtake initialize.
func TestInitialize_GetsResponseBeforeNextLineIsRead(t *testing.T) {
	for range 50 {
		s := newStandIn()
		c := connect(t, config(s))
		c.send(initialize("codex", "2025-06-18") + "\n" + callRequest(1, "send_handoff", `{}`))
		require.Equal(t, "0", string(parse(t, c.nextLine()).ID))
		c.nextLine()
		require.Equal(t, schemas.Agent("codex"), s.callsOf("send_handoff")[0].Caller.Agent)
	}
}

func TestCaller_UsesConfiguredNameBeforeClientName(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Caller.Agent, cfg.Caller.AgentID = "qa", "session-1"
	cfg.Name = func(string) schemas.Agent { panic("not asked") }
	c := connect(t, cfg)
	c.send(initialize("claude-code", "2025-11-25"), callRequest(1, "send_handoff", `{}`))
	c.nextLine()
	c.nextLine()
	by := s.callsOf("send_handoff")[0].Caller
	require.Equal(t, schemas.Caller{Agent: "qa", AgentID: "session-1", Via: schemas.ViaStdio}, by)
}

func TestCaller_NameComesFromConfiguredFunction(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Name = func(client string) schemas.Agent { return schemas.Agent(client + "-2") }
	c := connect(t, cfg)
	c.send(initialize("claude-code", "2025-11-25"), callRequest(1, "send_handoff", `{}`))
	require.Contains(t, parse(t, c.nextLine()).Result.Instructions, "You are claude-code-2 ")
	c.nextLine()
	require.Equal(t, schemas.Agent("claude-code-2"), s.callsOf("send_handoff")[0].Caller.Agent)
}

func TestCaller_UsesThreadAsAgentID(t *testing.T) {
	s := newStandIn()
	cfg := config(s)
	cfg.Caller.AgentID = "process"
	c := connect(t, cfg)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_handoff","_meta":{"threadId":"0199-a\u0007"}}}`)
	c.nextLine()
	c.send(callRequest(2, "send_handoff", `{}`))
	c.nextLine()
	made := s.callsOf("send_handoff")
	require.Equal(t, `0199-a\a`, made[0].Caller.AgentID)
	require.Equal(t, "process", made[1].Caller.AgentID)
	require.NotEqual(t, made[0].ID, made[1].ID)
}

func TestCaller_ClipsLongThreadID(t *testing.T) {
	s := newStandIn()
	c := connect(t, config(s))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_handoff","_meta":{"threadId":"` +
		strings.Repeat(`\u202e`, 100) + `"}}}`)
	c.nextLine()
	id := s.callsOf("send_handoff")[0].Caller.AgentID
	require.LessOrEqual(t, len(id), 128)
	require.Contains(t, id, `\u202e\u202e`)
}

func TestAgentNameOf_IsValidAndNotReserved(t *testing.T) {
	for client, agent := range map[string]schemas.Agent{
		"claude-code":  "claude-code",
		"My Client/2é": "My-Client-2-",
		"human":        "human-client",
		"system":       "system-client",
		"HUMAN":        "HUMAN-client", // people would take it for the reserved name
	} {
		require.Equal(t, agent, mcp.AgentNameOf(client))
	}
	long := mcp.AgentNameOf("a-client-with-a-name-that-nobody-would-want-to-type-more-than-once-in-a-life")
	_, err := schemas.ParseAgent("agent", string(long))
	require.NoError(t, err)
}
