package mcp_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

const send = `"name":"send_handoff","arguments":{"to":"qa","task":"Test the login"}`

func TestHTTPNewRevision_NeedsNoSession(t *testing.T) {
	s := serve(t, workspace(t), mcp.HTTPConfig{})
	c := s.newClient("architect").withHeaders("Mcp-Session-Id", "nobody's")
	for id, body := range []string{
		modernRequest(0, "server/discover", ""), modernRequest(1, "tools/list", ""), modernRequest(2, "tools/call", send),
		modernRequest(3, "resources/read", `"uri":"handoff://inbox"`), modernRequest(4, "prompts/list", ""),
	} {
		got := c.post(body)
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.Empty(t, got.header.Get("Mcp-Session-Id"))
		require.Contains(t, got.body, `"id":`+string(rune('0'+id))+`,`)
		require.Contains(t, got.body, `"resultType":"complete"`)
	}
}

func TestHTTPNewRevision_AllowsOnlyPost(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	c := s.newClient("qa").withHeaders("Mcp-Protocol-Version", "2026-07-28")
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		got := c.send(method, "")
		require.Equal(t, http.StatusMethodNotAllowed, got.status)
		require.Equal(t, "POST", got.header.Get("Allow"))
	}
	for _, method := range []string{http.MethodPut, http.MethodHead, http.MethodOptions} {
		got := s.newClient("qa").send(method, "")
		require.Equal(t, http.StatusMethodNotAllowed, got.status)
		require.Equal(t, "POST, GET, DELETE", got.header.Get("Allow"))
	}
}

func TestHTTPNewRevision_RefusesHeadersThatDifferFromMessage(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	ask := modernRequest(1, "tools/call", send)
	base64d := func(name string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?=" }
	later := strings.ReplaceAll(ask, "2026-07-28", "2027-01-01")
	const mismatch, params, unsupported = -32020, -32602, -32022
	for name, tt := range map[string]struct {
		headers []string
		body    string
		code    int
	}{
		"another version":      {[]string{"Mcp-Protocol-Version", "2025-11-25"}, ask, mismatch},
		"a later version":      {[]string{"Mcp-Protocol-Version", "2027-01-01"}, ask, mismatch},
		"another method":       {[]string{"Mcp-Method", "ping"}, ask, mismatch},
		"another name":         {[]string{"Mcp-Name", "claim_handoff"}, ask, mismatch},
		"a name in other case": {[]string{"Mcp-Name", "SEND_HANDOFF"}, ask, mismatch},
		"another in Base64":    {[]string{"Mcp-Name", base64d("claim_handoff")}, ask, mismatch},
		"broken Base64":        {[]string{"Mcp-Name", "=?base64?*?="}, ask, mismatch},
		"Last-Event-ID":        {[]string{"Last-Event-ID", "1"}, ask, mismatch},
		"no version in _meta":  {[]string{"Mcp-Protocol-Version", "2026-07-28"}, callRequest(1, "send_handoff", `{}`), params},
		"an unknown version":   {nil, later, unsupported},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.newClient("qa").withHeaders(tt.headers...).post(tt.body)
			require.Equal(t, http.StatusBadRequest, got.status, got.body)
			require.Equal(t, tt.code, parse(t, got.body).Error.Code, got.body)
			require.Equal(t, "1", string(parse(t, got.body).ID))
		})
	}
	require.Equal(t, http.StatusOK, s.newClient("qa").withHeaders("Mcp-Name", base64d("send_handoff")).post(ask).status)
	require.Contains(t, s.newClient("qa").post(later).body, `"supported":["2026-07-28","2025-11-25"`)
}

func TestHTTPNewRevision_RefusesMissingHeaders(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	ask := modernRequest(1, "tools/call", send)
	for _, missing := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
		c := s.newClient("qa")
		c.header[missing] = nil // so that it is not repeated
		got := c.post(ask)
		require.Equal(t, http.StatusBadRequest, got.status, missing)
		require.Equal(t, -32020, parse(t, got.body).Error.Code, got.body)
	}
}

func TestHTTPNewRevision_AcceptsNotifications(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	for _, body := range []string{cancellation("7"), `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`} {
		got := s.newClient("qa").withHeaders("Mcp-Protocol-Version", "2026-07-28").post(body)
		require.Equal(t, http.StatusAccepted, got.status)
		require.Empty(t, got.body)
	}
	got := s.newClient("qa").withHeaders("Mcp-Protocol-Version", "2026-07-28").post(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	require.Equal(t, http.StatusBadRequest, got.status)
}

func TestHTTPErrors_HaveStatusThatRevisionRequires(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	for name, tt := range map[string]struct {
		method, params string
		status         map[string]int
	}{
		"no such method":   {"unheard/of", ``, map[string]int{"2025-11-25": 200, "2026-07-28": 404}},
		"no such resource": {"resources/read", `"uri":"handoff://nothing/1"`, map[string]int{"2025-11-25": 200, "2026-07-28": 400}},
		"no such prompt":   {"prompts/get", `"name":"x"`, map[string]int{"2025-11-25": 200, "2026-07-28": 400}},
		"a broken answer":  {"tools/call", `"name":"send_handoff","arguments":{"do":"garbage"}`, map[string]int{"2025-11-25": 200, "2026-07-28": 200}},
		"a panic":          {"tools/call", `"name":"send_handoff","arguments":{"do":"panic"}`, map[string]int{"2025-11-25": 200, "2026-07-28": 200}},
	} {
		for _, era := range eras {
			t.Run(name+" in "+era, func(t *testing.T) {
				c := s.join(era, "qa")
				got := c.post(c.write(7, tt.method, tt.params))
				require.Equal(t, tt.status[era], got.status, got.body)
				require.Equal(t, "7", string(parse(t, got.body).ID), got.body)
				require.NotContains(t, got.body, "secret")
			})
		}
	}
}
