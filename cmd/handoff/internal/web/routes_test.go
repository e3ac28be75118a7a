package web_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
	"handoff/schemas"
)

func TestRoutes_ServeConfiguredHandlers(t *testing.T) {
	s := startServer(t, web.Config{
		Metadata: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }),
		Metrics:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "handoff_up 1\n") }),
	})
	for _, c := range []struct {
		request string
		status  int
		body    string
	}{
		{"GET /mcp", 200, "spoken"},
		{"POST /mcp", 200, "spoken"},
		{"DELETE /mcp?a=b", 200, "spoken"},
		{"GET /healthz", 200, "ok\n"},
		{"GET /readyz", 200, `{"ready":true}` + "\n"},
		{"GET /metrics", 200, "handoff_up 1\n"},
		{"GET /.well-known/oauth-protected-resource", 200, "{}"},
		{"GET /.well-known/oauth-protected-resource/mcp", 200, "{}"},

		{"GET /", 404, "MCP is spoken at /mcp."},
		{"GET /mcp/", 404, "without a slash"},
		{"GET //mcp", 404, "/mcp"},
		{"GET /healthz/../mcp", 404, "/mcp"},
		{"GET /%6dcp", 200, "spoken"},
		{"POST /favicon.ico", 404, "/mcp"},
		{"PUT /mcp", 405, "POST, GET, DELETE"},
		{"OPTIONS /mcp", 405, "POST, GET, DELETE"},
		{"POST /healthz", 405, "GET, HEAD"},
		{"DELETE /metrics", 405, "GET, HEAD"},
		{"OPTIONS *", 404, "/mcp"},
	} {
		t.Run(c.request, func(t *testing.T) {
			response, body := s.sendRaw(c.request + " HTTP/1.1\nHost: " + s.addr + "\n\n")
			require.Equal(t, c.status, response.StatusCode)
			require.Contains(t, body, c.body)
			require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
			require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
			require.NotContains(t, response.Header, "Server")
			if c.status == http.StatusMethodNotAllowed {
				require.Equal(t, c.body, response.Header.Get("Allow"))
			}
		})
	}
}

func TestRoutes_WithoutHandlerAreNotFound(t *testing.T) {
	s := startServer(t, web.Config{})
	for _, path := range []string{"/metrics", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		response, _ := s.get(path)
		require.Equal(t, http.StatusNotFound, response.StatusCode)
	}
}

func TestWriteRefusal_AsksForToken(t *testing.T) {
	challenge := func(h http.Header, refused error) int {
		h.Set("WWW-Authenticate", "Bearer")
		return map[schemas.Code]int{schemas.Denied: http.StatusUnauthorized, schemas.Limit: http.StatusTooManyRequests}[schemas.AsError(refused).Code]
	}
	s := startServer(t, web.Config{Metrics: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := schemas.Errorf(schemas.Denied, "a token is needed")
		if r.Header.Get("Authorization") == "Bearer often" {
			refused = schemas.Errorf(schemas.Limit, "too often").WithRetryAfter(1)
		}
		web.WriteRefusal(w, refused, challenge)
	})})
	response, _ := s.get("/metrics")
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, "Bearer", response.Header.Get("WWW-Authenticate"))
	response, _ = s.get("/metrics", "Authorization: Bearer often")
	require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
	require.Equal(t, "1", response.Header.Get("Retry-After"))
}
