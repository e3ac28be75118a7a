package mcp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

func TestHTTPCaller_WithoutTokenHasNameOfClient(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			held := newStandIn()
			cfg := config(held)
			cfg.Session = func(schemas.Agent) string { return "of the surroundings" }
			s := serve(t, cfg, mcp.HTTPConfig{})
			c := s.join(era, "")
			c.postForAnswer(c.call(7, "send_handoff", `{}`))
			by := held.callsOf("send_handoff")[0].Caller
			require.Equal(t, schemas.Agent("claude-code"), by.Agent)
			require.Equal(t, schemas.ViaHTTP, by.Via)
			require.Empty(t, by.Conn)
			require.NotEqual(t, "of the surroundings", by.AgentID)
		})
	}
}

func TestHTTPCaller_ActsOnlyAsAgentsOfToken(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := serve(t, workspace(t), mcp.HTTPConfig{})
			c := s.join(era, "qa")
			refused := c.postForAnswer(c.call(7, "list_handoffs", `{"agent":"architect"}`))
			require.True(t, refused.Result.IsError)
			require.Contains(t, refused.text(), `"code":"denied"`)
			require.False(t, c.postForAnswer(c.call(7, "list_handoffs", `{"agent":"qa"}`)).Result.IsError)
			anybody := s.join(era, "")
			require.False(t, anybody.postForAnswer(anybody.call(7, "list_handoffs", `{"agent":"qa"}`)).Result.IsError)
			require.True(t, anybody.postForAnswer(anybody.call(7, "list_handoffs", `{"agent":"human"}`)).Result.IsError)
		})
	}
}

func TestHTTPCaller_TakesTraceFromMessageOrHeader(t *testing.T) {
	const inHeader, inMeta = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-00"
	for name, tt := range map[string]struct{ header, meta, trace string }{
		"none":                  {"", "", ""},
		"in the header":         {inHeader, "", inHeader},
		"in the message":        {"", inMeta, inMeta},
		"the message is nearer": {inHeader, inMeta, inMeta},
		"malformed header":      {"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "", ""},
		"malformed in message":  {"", inMeta + "-x", ""},
		"only one is malformed": {inHeader, "x", inHeader},
		"no trace at all":       {"00-00000000000000000000000000000000-b7ad6b7169203331-01", "", ""},
		"no span of the trace":  {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "", ""},
	} {
		for _, era := range eras {
			t.Run(name+" in "+era, func(t *testing.T) {
				held := newStandIn()
				s := serve(t, config(held), mcp.HTTPConfig{})
				c := s.join(era, "qa")
				c.httpClient = c.withHeaders("traceparent", tt.header)
				c.post(c.traced(tt.meta))
				require.Equal(t, tt.trace, held.callsOf("send_handoff")[0].Caller.Trace)
			})
		}
	}
}

// traced writes a call that names its span.
func (m joinedClient) traced(span string) string {
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`
	meta := fmt.Sprintf(`"traceparent":%q`, span)
	if m.modern {
		meta = version + meta
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_handoff","arguments":{},"_meta":{` + meta + `}}}`
}

// Two sessions of one token are two callers with one name. Without sessions, callers of one token cannot be
// distinguished.
func TestHTTPCaller_HasIDOfSession(t *testing.T) {
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{})
	first, second := s.join("2025-11-25", "qa"), s.join("2025-11-25", "qa")
	stateless := s.join("2026-07-28", "qa")
	for _, c := range []joinedClient{first, second, first, stateless} {
		c.postForAnswer(c.call(7, "send_handoff", `{}`))
	}
	made := held.callsOf("send_handoff")
	require.NotEmpty(t, made[0].Caller.AgentID)
	require.NotEqual(t, made[0].Caller.AgentID, made[1].Caller.AgentID)
	require.Equal(t, made[0].Caller.AgentID, made[2].Caller.AgentID)
	require.Empty(t, made[3].Caller.AgentID)
	require.NotContains(t, made[0].Caller.AgentID, first.header.Get("Mcp-Session-Id"), "that is a secret")
}

// A client names its own thread. The server puts a proved prefix before the name, so that no client can use the thread
// of another client.
func TestHTTPCaller_PrefixesThreadWithSessionOrToken(t *testing.T) {
	const thread = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"threadId":"0199-a"`
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{})
	s.join("2025-11-25", "qa").postForAnswer(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_handoff","_meta":{"threadId":"0199-a"}}}`)
	require.Regexp(t, `^session:[A-Z2-7]{8}/0199-a$`, held.callsOf("send_handoff")[0].Caller.AgentID)
	s.join("2026-07-28", "qa").postForAnswer(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_handoff","_meta":{` + thread + `}}}`)
	require.Equal(t, "token:qa/0199-a", held.callsOf("send_handoff")[1].Caller.AgentID)
}

func TestHTTPGreeting_IsSentOncePerSession(t *testing.T) {
	s := serve(t, workspace(t), mcp.HTTPConfig{})
	c := s.join("2025-11-25", "qa")
	require.Contains(t, c.postForAnswer(c.call(1, "claim_handoff", `{}`)).text(), "You are qa; nobody else is here.")
	require.NotContains(t, c.postForAnswer(c.call(2, "claim_handoff", `{}`)).text(), "You are")
}
