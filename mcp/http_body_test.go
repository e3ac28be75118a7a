package mcp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"handoff/mcp/jsonrpc"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

func TestHTTPPost_RefusesInvalidMessage(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	for _, version := range legacy {
		c := s.newClient("qa").beginSession(version)
		for name, tt := range map[string]struct {
			header []string
			body   string
			status int
			code   int
		}{
			"text":               {[]string{"Content-Type", "text/plain"}, ping(1), http.StatusUnsupportedMediaType, -32600},
			"no type":            {[]string{"Content-Type", ""}, ping(1), http.StatusUnsupportedMediaType, -32600},
			"a broken type":      {[]string{"Content-Type", "application/json; charset"}, ping(1), http.StatusUnsupportedMediaType, -32600},
			"compressed":         {[]string{"Content-Encoding", "gzip"}, ping(1), http.StatusUnsupportedMediaType, -32600},
			"nothing acceptable": {[]string{"Accept", "text/html"}, ping(1), http.StatusNotAcceptable, -32600},
			"empty":              {nil, "", http.StatusBadRequest, -32700},
			"half":               {nil, `{"jsonrpc":"2.0",`, http.StatusBadRequest, -32700},
			"two":                {nil, ping(1) + ping(2), http.StatusBadRequest, -32700},
			"a number":           {nil, `7`, http.StatusBadRequest, -32600},
			"id null":            {nil, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, http.StatusBadRequest, -32600},
			"invalid UTF-8":      {nil, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", http.StatusBadRequest, -32700},
			"too long":           {nil, strings.Repeat(" ", jsonrpc.MaxLine) + ping(1), http.StatusRequestEntityTooLarge, -32600},
		} {
			t.Run(name, func(t *testing.T) {
				got := c.withHeaders(tt.header...).post(tt.body)
				require.Equal(t, tt.status, got.status, got.body)
				require.Equal(t, tt.code, parse(t, got.body).Error.Code, got.body)
			})
		}
	}
}

func TestHTTPPost_LimitsBodyWithoutContentLength(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	c := s.newClient("qa").beginSession("2025-11-25")
	for filler, status := range map[int]int{jsonrpc.MaxLine - len(ping(1)): http.StatusOK, jsonrpc.MaxLine: http.StatusRequestEntityTooLarge} {
		body := io.MultiReader(strings.NewReader(strings.Repeat(" ", filler)), strings.NewReader(ping(1)))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, body)
		require.NoError(t, err)
		r.Header = c.header
		got, err := c.http.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		require.Equal(t, status, got.StatusCode)
	}
}

func TestHTTPPost_AcceptsMissingAndVariedAcceptHeaders(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	const asJSON, asEvent = "application/json", "text/event-stream"
	for _, era := range eras {
		c := s.join(era, "qa")
		ask := c.call(7, "send_handoff", `{}`)
		for accept, kind := range map[string]string{
			"": asJSON, "*/*": asJSON, "application/*": asJSON, "application/json": asJSON,
			"TEXT/event-stream;q=0.9 , Application/JSON": asJSON, "text/event-stream": asEvent, "text/*": asEvent,
		} {
			got := c.withHeaders("Accept", accept).post(ask)
			require.Equal(t, http.StatusOK, got.status, accept)
			require.Equal(t, kind, got.header.Get("Content-Type"), accept)
			text := got.body
			if kind == asEvent {
				var is bool
				text, is = strings.CutPrefix(text, "event: message\ndata: ")
				require.True(t, is, got.body)
				require.True(t, strings.HasSuffix(text, "\n\n"), got.body)
			}
			require.Equal(t, "7", string(parse(t, text).ID))
		}
	}
}

func TestHTTPStream_RequiresAcceptHeader(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	c := s.newClient("qa").beginSession("2025-11-25")
	require.Equal(t, http.StatusNotAcceptable, c.withHeaders("Accept", "application/json").send(http.MethodGet, "").status)
}
