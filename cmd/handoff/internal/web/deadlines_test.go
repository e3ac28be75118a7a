package web_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

func TestDeadlines_CutOffEndlessBody(t *testing.T) {
	read := make(chan error, 1)
	s := startServer(t, web.Config{Limits: web.Limits{Body: 50 * time.Millisecond}, MCP: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	})})
	conn := s.dial("POST /mcp HTTP/1.1\r\nHost: " + s.addr + "\r\nContent-Length: 100\r\n\r\n{")
	require.ErrorIs(t, <-read, os.ErrDeadlineExceeded)
	_, err := io.Copy(io.Discard, conn)
	require.NoError(t, err, "the connection ends")
}

// The server reads the rest of a body that its handler did not read, but only for a second.
func TestDeadlines_CutOffUnreadBodySooner(t *testing.T) {
	t.Parallel() // it takes a second
	s := startServer(t, web.Config{Limits: web.Limits{Body: time.Hour}, MCP: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	})})
	response, _ := readReply(t, s.dial("POST /mcp HTTP/1.1\r\nHost: "+s.addr+"\r\nContent-Length: 100\r\n\r\n{"))
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.True(t, response.Close)
}

// The limits must not end a handler that waits after it read its body, and extends its deadline.
func TestDeadlines_AllowLongPolls(t *testing.T) {
	t.Parallel() // it takes a second
	const limit = 300 * time.Millisecond
	s := startServer(t, web.Config{Limits: web.Limits{Body: limit, Answer: limit}, MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || http.NewResponseController(w).SetWriteDeadline(time.Time{}) != nil {
			return
		}
		select {
		case <-r.Context().Done():
		case <-time.After(2 * limit):
			_, _ = w.Write(body)
		}
	})})
	conn := s.dial(s.post("{}"))
	_, body := readReply(t, conn)
	require.Equal(t, "{}", body)
	_, err := io.WriteString(conn, s.post("[]"))
	require.NoError(t, err)
	_, body = readReply(t, conn)
	require.Equal(t, "[]", body, "also the next over the same connection")
}

func TestDeadlines_CutOffUnreadResponse(t *testing.T) {
	wrote := make(chan error, 1)
	s := startServer(t, web.Config{Limits: web.Limits{Answer: 50 * time.Millisecond}, Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for much := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(much)
		}
		wrote <- err
	})})
	s.dial("GET /metrics HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n")
	require.ErrorIs(t, <-wrote, os.ErrDeadlineExceeded)
}

// The limit also applies to responses that do not come from the handler of MCP.
func TestDeadlines_CutOffUnreadRefusals(t *testing.T) {
	s := startServer(t, web.Config{Limits: web.Limits{Answer: 50 * time.Millisecond}})
	conn := s.dial("")
	for err := error(nil); err == nil; {
		_, err = io.WriteString(conn, "GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n")
	}
}

func TestDeadlines_CutOffEndlessHeaders(t *testing.T) {
	s := startServer(t, web.Config{Limits: web.Limits{Header: 50 * time.Millisecond}})
	_, err := io.ReadAll(s.dial("GET /mcp HTTP/1.1\r\nX-Slow: "))
	require.NoError(t, err, "the connection ends")
}

func TestServer_RefusesLargeHeaders(t *testing.T) {
	s := startServer(t, web.Config{})
	response, _ := s.get("/mcp", "X-Large: "+strings.Repeat("x", 64<<10))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, response.StatusCode)
}
