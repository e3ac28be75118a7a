package web_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// runningServer is a running server, with its log.
type runningServer struct {
	*web.Server
	t    *testing.T
	addr string
	log  *lockedBuffer
}

// startServer serves with a configuration until the test ends.
func startServer(t *testing.T, c web.Config) *runningServer {
	t.Helper()
	s := &runningServer{t: t, log: &lockedBuffer{}}
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.MCP == nil {
		c.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "spoken") })
	}
	c.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, err := web.Listen(t.Context(), c)
	require.NoError(t, err)
	s.Server, s.addr = server, server.Addr().String()
	var served sync.WaitGroup
	var broke error
	served.Go(func() { broke = server.Serve() })
	t.Cleanup(func() {
		s.stop()
		served.Wait()
		require.NoError(t, broke)
	})
	return s
}

// stop cuts off running requests. The log is complete then.
func (s *runningServer) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.Shutdown(ctx)
}

// dial opens a raw connection and writes the text.
func (s *runningServer) dial(said string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, said)
	require.NoError(s.t, err)
	return conn
}

// sendRaw sends a raw request, whose lines end with \n, and returns the status and the body of the response.
func (s *runningServer) sendRaw(lines string) (reply, string) {
	s.t.Helper()
	return readReply(s.t, s.dial(strings.ReplaceAll(lines, "\n", "\r\n")))
}

// A reply is a response whose body was read.
type reply struct {
	StatusCode int
	Header     http.Header
	Close      bool
}

func readReply(t *testing.T, conn net.Conn) (reply, string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return reply{response.StatusCode, response.Header, response.Close}, string(body)
}

// get sends a proper GET request with headers of the form "Name: value".
func (s *runningServer) get(path string, headers ...string) (reply, string) {
	s.t.Helper()
	lines := "GET " + path + " HTTP/1.1\nHost: " + s.addr + "\n"
	for _, h := range headers {
		lines += h + "\n"
	}
	return s.sendRaw(lines + "\n")
}

func (s *runningServer) post(body string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", s.addr, len(body), body)
}

// A lockedBuffer is a log that can be read while the server writes it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *lockedBuffer) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *lockedBuffer) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}
