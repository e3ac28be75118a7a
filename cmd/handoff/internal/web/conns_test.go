package web_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

// Some clients only connect, some begin a request, and some end a request and begin another.
func TestConnLimiter_SilentConnectionsShutNobodyOut(t *testing.T) {
	s := startServer(t, web.Config{Limits: web.Limits{Conns: 16}})
	request := "GET /healthz HTTP/1.1\r\nHost: " + s.addr + "\r\n"
	said := []string{"", "G", "GET /mcp HTTP/1.1\r\n", request + "X-Slow: ", request + "\r\n", request + "\r\nGET"}
	for i := range 1000 {
		s.dial(said[i%len(said)])
		if i%100 == 99 {
			response, body := s.get("/mcp")
			require.Equal(t, http.StatusOK, response.StatusCode)
			require.Equal(t, "spoken", body)
		}
	}
}

func TestConnLimiter_KeepsConnectionsWithRequests(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	s := startServer(t, web.Config{Limits: web.Limits{Conns: 2}, MCP: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-end
		_, _ = io.WriteString(w, "worked")
	})})
	work := "GET /mcp HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n"
	one, other := s.dial(work), s.dial(work)
	<-begun
	<-begun
	for range 3 {
		response, _ := readReply(t, s.dial(""))
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
		require.True(t, response.Close)
	}
	close(end)
	for _, conn := range []net.Conn{one, other} {
		_, body := readReply(t, conn)
		require.Equal(t, "worked", body)
	}
	s.stop()
	require.Regexp(t, `(?s)^[^\n]*msg="all connections are at work[^\n]*connections=2\n`, s.log.String())
}

func TestConnLimiter_MissingHandshakesShutNobodyOut(t *testing.T) {
	cert, key := newPair(t, t.TempDir(), "handoff.test", 1)
	s := startServer(t, web.Config{Cert: cert, Key: key, Limits: web.Limits{Conns: 8}})
	for i := range 100 {
		s.dial([]string{"", "\x16\x03\x01"}[i%2])
	}
	require.Equal(t, http.StatusOK, s.statusForHost("handoff.test"))
}
