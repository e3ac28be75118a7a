package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

func TestShutdown_AnswersRunningRequests(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	s := startServer(t, web.Config{MCP: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-end
		_, _ = io.WriteString(w, "answered")
	})})
	conn := s.dial(s.post("{}"))
	<-begun
	over := make(chan error)
	go func() { over <- s.Shutdown(t.Context()) }()
	for { // until the server accepts no connection
		late, err := net.Dial("tcp", s.addr)
		if err != nil {
			break
		}
		_ = late.Close()
	}
	close(end)
	_, body := readReply(t, conn)
	require.Equal(t, "answered", body)
	require.NoError(t, <-over)
}

// The server of the standard library would give them five seconds.
func TestShutdown_IgnoresSilentConnections(t *testing.T) {
	s := startServer(t, web.Config{})
	fresh, half := s.dial(""), s.dial("GET /mcp HTTP/1.1\r\n")
	idle := s.dial("GET /healthz HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n")
	readReply(t, idle) // so the server has accepted the others
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	require.NoError(t, s.Shutdown(ctx))
	for _, conn := range []net.Conn{fresh, half, idle} {
		_, err := conn.Read(make([]byte, 1))
		require.Error(t, err)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	}
}

func TestShutdown_CutsOffLongRequests(t *testing.T) {
	begun, cut := make(chan bool), make(chan bool)
	s := startServer(t, web.Config{MCP: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(cut)
	})})
	s.dial(s.post("{}"))
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	<-cut
}

func TestShutdown_BeforeServeClosesAddress(t *testing.T) {
	s, err := web.Listen(t.Context(), web.Config{Addr: "127.0.0.1:0", MCP: http.NotFoundHandler(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(t.Context()))
	_, err = net.Dial("tcp", s.Addr().String())
	require.Error(t, err)
}
