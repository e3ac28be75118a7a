package mcp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
)

// legacy are the revisions in which a client has a session.
var legacy = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

func TestHTTPSession_EndsWithDelete(t *testing.T) {
	for _, version := range legacy {
		t.Run(version, func(t *testing.T) {
			s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
			c := s.newClient("qa").beginSession(version)
			require.Equal(t, http.StatusAccepted, c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).status)
			require.Equal(t, http.StatusOK, c.post(ping(1)).status)
			require.Equal(t, http.StatusOK, c.withHeaders("Mcp-Protocol-Version", "").post(ping(1)).status, "the session knows")
			require.Equal(t, http.StatusNoContent, c.send(http.MethodDelete, "").status)
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				require.Equal(t, http.StatusNotFound, c.send(method, ping(1)).status, method)
			}
		})
	}
}

func TestHTTPSession_IsRequiredInOldRevisions(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	qa := s.newClient("qa").beginSession("2025-11-25")
	for name, tt := range map[string]struct {
		client *httpClient
		status int
	}{
		"none":               {qa.withHeaders("Mcp-Session-Id", ""), http.StatusBadRequest},
		"unknown":            {qa.withHeaders("Mcp-Session-Id", "x"), http.StatusNotFound},
		"of another":         {qa.withHeaders("Authorization", "Bearer eve"), http.StatusNotFound},
		"of one with token":  {qa.withHeaders("Authorization", ""), http.StatusNotFound},
		"unknown revision":   {qa.withHeaders("Mcp-Protocol-Version", "2025-01-01"), http.StatusBadRequest},
		"nonsense revision":  {qa.withHeaders("Mcp-Protocol-Version", "1"), http.StatusBadRequest},
		"as it is, for once": {qa, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.status, tt.client.post(ping(1)).status)
			if tt.status != http.StatusOK {
				require.Equal(t, tt.status, tt.client.send(http.MethodGet, "").status)
				require.Equal(t, tt.status, tt.client.send(http.MethodDelete, "").status)
			}
		})
	}
	require.Equal(t, http.StatusOK, qa.post(ping(1)).status, "it goes on")
}

func TestHTTPSession_IsNotOpenedByRefusedInitialize(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	got := s.newClient("qa").post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}`)
	require.NotZero(t, parse(t, got.body).Error.Code)
	require.Empty(t, got.header.Get("Mcp-Session-Id"))
}

// requireStreamEnds waits for the end of a stream, which ends with its session. It does not use the session.
func requireStreamEnds(t *testing.T, heard *stream) {
	t.Helper()
	require.Empty(t, heard.remainingEvents())
	require.NoError(t, heard.err)
}

func TestHTTPSession_DeleteEndsStreams(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{})
	qa, other := s.newClient("qa").beginSession("2025-11-25"), s.newClient("qa").beginSession("2025-11-25")
	first, second, others := qa.openStream(http.MethodGet, ""), qa.openStream(http.MethodGet, ""), other.openStream(http.MethodGet, "")
	require.Equal(t, http.StatusNoContent, qa.send(http.MethodDelete, "").status)
	requireStreamEnds(t, first)
	requireStreamEnds(t, second)
	require.Equal(t, http.StatusNoContent, other.send(http.MethodDelete, "").status)
	requireStreamEnds(t, others)
}

func TestHTTPSession_EvictsLeastRecentlyUsedSession(t *testing.T) {
	for name, bound := range map[string]mcp.UseLimit{"of one token": {All: 100, Each: 2}, "in all": {All: 2, Each: 100}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, config(newStandIn()), mcp.HTTPConfig{Sessions: bound})
			first, second := s.newClient("qa").beginSession("2025-11-25"), s.newClient("qa").beginSession("2025-11-25")
			require.Equal(t, http.StatusOK, first.post(ping(1)).status)
			third := s.newClient("qa").beginSession("2025-11-25")
			require.Equal(t, http.StatusNotFound, second.post(ping(1)).status)
			require.Equal(t, http.StatusOK, first.post(ping(1)).status)
			require.Equal(t, http.StatusOK, third.post(ping(1)).status)
		})
	}
}

// A session counts as used while its stream is open, and the end of the stream counts as a use, too.
func TestHTTPSession_CountsEndOfStreamAsUse(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{Sessions: mcp.UseLimit{All: 2, Each: 2}})
	first := s.newClient("qa").beginSession("2025-11-25")
	heard := first.openStream(http.MethodGet, "")
	second := s.newClient("qa").beginSession("2025-11-25")
	require.Equal(t, http.StatusOK, second.post(ping(1)).status)
	s.awaitAtMostRunning(1)
	heard.leave()
	s.awaitAtMostRunning(0)
	s.newClient("qa").beginSession("2025-11-25")
	require.Equal(t, http.StatusOK, first.post(ping(1)).status)
	require.Equal(t, http.StatusNotFound, second.post(ping(1)).status)
}

func TestHTTPSession_IsNotEvictedByOtherToken(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{Sessions: mcp.UseLimit{All: 100, Each: 1}})
	qa := s.newClient("qa").beginSession("2025-11-25")
	for range 3 {
		s.newClient("eve").beginSession("2025-11-25")
	}
	require.Equal(t, http.StatusOK, qa.post(ping(1)).status)
}

func TestHTTPSession_IsNotEvictedWhileInUse(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{Sessions: mcp.UseLimit{All: 100, Each: 1}})
	qa := s.newClient("qa").beginSession("2025-11-25")
	heard := qa.openStream(http.MethodGet, "")
	refused := s.newClient("qa").post(initialize("claude-code", "2025-11-25"))
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Equal(t, "5", refused.header.Get("Retry-After"))
	require.Empty(t, refused.header.Get("Mcp-Session-Id"))
	s.newClient("eve").beginSession("2025-11-25")
	require.Equal(t, http.StatusNoContent, qa.send(http.MethodDelete, "").status)
	requireStreamEnds(t, heard)
}

// The subscriptions of a session end with it, even one that was requested at the last moment.
func TestHTTPSession_EndOfSessionEndsSubscriptions(t *testing.T) {
	cfg := workspace(t)
	slow := callDelayer{cfg.Invoker, "registry_newest", make(chan struct{}), make(chan struct{})}
	cfg.Invoker = slow
	s := serve(t, cfg, mcp.HTTPConfig{})
	c := s.newClient("qa").beginSession("2025-11-25")
	subscribed := c.postAsync(t.Context(), subscribe("handoff://inbox/qa"))
	<-slow.begun
	require.Equal(t, http.StatusNoContent, c.send(http.MethodDelete, "").status)
	close(slow.release)
	require.Equal(t, http.StatusOK, (<-subscribed).status)
}

func subscribe(uri string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`
}

func TestHTTPSession_EndsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, config(newStandIn()), mcp.HTTPConfig{Idle: time.Hour})
		c := s.newClient("qa").beginSession("2025-11-25")
		for range 3 {
			time.Sleep(time.Hour - time.Second)
			require.Equal(t, http.StatusOK, c.post(ping(1)).status)
		}
		time.Sleep(time.Hour + time.Second)
		require.Equal(t, http.StatusNotFound, c.post(ping(1)).status)
	})
}

func TestHTTPSession_IsNotIdleWhileStreamIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, config(newStandIn()), mcp.HTTPConfig{Idle: time.Hour})
		c := s.newClient("qa").beginSession("2025-11-25")
		heard := c.openStream(http.MethodGet, "")
		time.Sleep(3 * time.Hour)
		require.Equal(t, http.StatusOK, c.post(ping(1)).status)
		heard.leave()
		time.Sleep(time.Hour - time.Second)
		require.Equal(t, http.StatusOK, c.post(ping(1)).status)
		time.Sleep(time.Hour + time.Second)
		require.Equal(t, http.StatusNotFound, c.post(ping(1)).status)
	})
}
