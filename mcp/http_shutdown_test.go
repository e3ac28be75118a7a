package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/tools"
)

func TestHTTPShutdown_AnswersAllRequests(t *testing.T) {
	const each = 50
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{})
	var claims []<-chan outcome
	var streams []*stream
	for _, era := range eras {
		for n := range each {
			c := s.join(era, fmt.Sprintf("agent-%d", n%7))
			streams = append(streams, c.watch(7, "handoff://handoff/1"))
			claims = append(claims, c.postAsync(t.Context(), c.call(7, "claim_handoff", claimAndWait)))
		}
	}
	for range claims {
		<-held.started
	}
	s.shutdown()
	for _, claim := range claims {
		got := <-claim
		require.NoError(t, got.err)
		require.Equal(t, http.StatusOK, got.status)
		require.True(t, parse(t, got.body).Result.IsError)
		require.Contains(t, got.body, "the call was cut short")
	}
	for n, stream := range streams {
		said := stream.remainingEvents()
		require.NoError(t, stream.err)
		if n < each {
			require.Empty(t, said)
		} else {
			require.Len(t, said, 1)
			require.Equal(t, "7", string(parse(t, said[0]).ID))
			require.Contains(t, said[0], `"result"`)
		}
	}
}

func TestHTTPShutdown_RefusesLaterRequests(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	c := s.newClient("qa").beginSession("2025-11-25")
	s.shutdown()
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		got := c.send(method, ping(1))
		require.Equal(t, http.StatusServiceUnavailable, got.status, method)
		require.Equal(t, "1", got.header.Get("Retry-After"))
		require.Contains(t, got.body, `"code":"unavailable"`)
	}
}

func TestHTTPShutdown_FinishesCallsThatDoNotWait(t *testing.T) {
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{})
	c := s.newClient("qa").beginSession("2025-11-25")
	sends := c.postAsync(t.Context(), callRequest(1, "send_handoff", `{"do":"hold"}`))
	<-held.started
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.Shutdown(t.Context())
	}()
	for s.newClient("qa").post(ping(1)).status != http.StatusServiceUnavailable { // it has begun to end
	}
	close(held.release)
	require.Contains(t, (<-sends).body, "structuredContent")
	<-over
}

// callUntilCancelled delays each send until the server cancels it.
type callUntilCancelled struct {
	tools.Invoker
	begun chan struct{} // receives each call
}

func (p callUntilCancelled) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool != "send_handoff" {
		return p.Invoker.Invoke(ctx, c)
	}
	p.begun <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// After the timeout, running calls are cancelled, and stuck calls do not prevent the end of the server.
func TestHTTPShutdown_CancelsCallsAfterTimeout(t *testing.T) {
	cfg := config(newStandIn())
	slow := callUntilCancelled{cfg.Invoker, make(chan struct{})}
	cfg.Invoker = slow
	s := serve(t, cfg, mcp.HTTPConfig{})
	sends := s.newClient("qa").beginSession("2025-11-25").postAsync(t.Context(), callRequest(1, "send_handoff", `{}`))
	<-slow.begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Shutdown(ctx)
	require.Contains(t, (<-sends).body, "the call was cut short")
}

func TestHTTPShutdown_ReturnsWithoutStuckRequests(t *testing.T) {
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{})
	sends := s.newClient("qa").beginSession("2025-11-25").postAsync(t.Context(), callRequest(1, "send_handoff", `{"do":"hold"}`))
	<-held.started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Shutdown(ctx)
	close(held.release)
	require.Equal(t, http.StatusOK, (<-sends).status)
}

func TestHTTPShutdown_DoesNotWaitForIncompleteBody(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	conn := s.rawConnection()
	_, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	require.NoError(t, err)
	s.awaitRunning(1)
	s.shutdown()
	got, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(got), "HTTP/1.1 503 "), string(got))
	require.Contains(t, string(got), "Retry-After: 1")
}

// rawConnection returns a connection for bytes that no good client sends.
func (s *site) rawConnection() net.Conn {
	s.t.Helper()
	conn, err := s.dial(s.t.Context(), "tcp", s.http.Listener.Addr().String())
	require.NoError(s.t, err)
	if tcp, ok := conn.(*net.TCPConn); ok {
		require.NoError(s.t, tcp.SetReadBuffer(4096))
	}
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// awaitRunning waits until n requests are under way.
func (s *site) awaitRunning(n int64) {
	s.t.Helper()
	late := time.After(patience)
	for s.under.Load() < n {
		select {
		case <-late:
			require.Fail(s.t, "no request began")
		case <-time.After(time.Millisecond):
		}
	}
}
