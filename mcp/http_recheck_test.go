package mcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

// revocableTokens accepts all requests until the test revokes all tokens.
type revocableTokens struct{ over atomic.Bool }

func (r *revocableTokens) recheck(*http.Request) error {
	if r.over.Load() {
		return schemas.Errorf(schemas.Denied, "token qa was revoked")
	}
	return nil
}

// A call that waits when its token is revoked gets no later handoff, and no handoff is lost.
func TestHTTPRecheck_LongPollOfRevokedTokenClaimsNothing(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			told := &claimWatcher{Invoker: cfg.Invoker}
			cfg.Invoker = told
			var door revocableTokens
			s := serve(t, cfg, mcp.HTTPConfig{Recheck: door.recheck})
			qa := s.join(era, "qa")
			waits := qa.postAsync(t.Context(), qa.call(7, "claim_handoff", claimAndWait))
			told.awaitClaim(t.Context(), "qa")
			door.over.Store(true)
			sendWork(t, cfg, 1)
			got := <-waits
			require.NoError(t, got.err)
			require.Contains(t, got.body, "token qa was revoked")
			require.NotContains(t, got.body, "ct_")
			requireClaimable(t, cfg)
		})
	}
}

func TestHTTPRecheck_EndsStreamsOfRevokedToken(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			var door revocableTokens
			s := serve(t, cfg, mcp.HTTPConfig{Recheck: door.recheck})
			heard := s.join(era, "qa").watch(7, "handoff://inbox")
			sendWork(t, cfg, 1)
			require.Contains(t, heard.nextEvent(), "updated")
			door.over.Store(true)
			sendWork(t, cfg, 1)
			require.Empty(t, heard.remainingEvents())
		})
	}
}

// The server reads no body from an unknown caller, not even to put the error into a result.
func TestHTTPPost_RefusesUnknownCallerBeforeReadingBody(t *testing.T) {
	limit := schemas.Errorf(schemas.Limit, "too many bad tokens").WithRetryAfter(time.Second)
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{Caller: func(*http.Request) (schemas.Caller, error) { return schemas.Caller{}, limit }})
	unread := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", unreadableBody{t})
	unread.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.Endpoint.ServeHTTP(answer, unread)
	require.Equal(t, http.StatusTooManyRequests, answer.Code)
}

type unreadableBody struct{ t *testing.T }

func (f unreadableBody) Read([]byte) (int, error) {
	f.t.Error("it is read")
	return 0, errors.New("read")
}

func TestHTTPMemory_OfMessagesIsLimited(t *testing.T) {
	s := serve(t, config(newStandIn()), mcp.HTTPConfig{Messages: mcp.UseLimit{All: 100_000, Each: 8000}})
	eve, qa := s.newClient("eve").beginSession("2026-07-28"), s.newClient("qa").beginSession("2026-07-28")
	large := modernRequest(7, "server/discover", `"x":"`+strings.Repeat("x", 9000)+`"`)
	got := eve.post(large)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Contains(t, got.body, "too many bytes of messages under way: at most 8000 of one token, 100000 in all")
	require.Equal(t, http.StatusOK, qa.withHeaders("Mcp-Method", "server/discover").post(modernRequest(7, "server/discover", "")).status)
}

// Responses that a client does not read count as under way, too.
func TestHTTPMemory_OfResponsesIsLimited(t *testing.T) {
	cfg := workspace(t)
	callAs(t, cfg, "architect", "send_handoff", `{"to":"qa","task":"Test it","detail":"`+strings.Repeat("x", 20_000)+`"}`)
	s := serve(t, cfg, mcp.HTTPConfig{Messages: mcp.UseLimit{All: 20_000, Each: 10_000}})
	for _, era := range eras {
		qa := s.newClient("qa").beginSession(era)
		if era != "2026-07-28" {
			qa = s.join(era, "qa").httpClient
		}
		m := joinedClient{httpClient: qa, modern: era == "2026-07-28"}
		got := m.post(m.call(7, "get_handoff", `{"handoff_id":"1","view":"full"}`))
		require.Equal(t, http.StatusTooManyRequests, got.status, got.body)
		require.Less(t, len(got.body), 1000)
		require.Equal(t, http.StatusOK, m.post(m.call(7, "list_handoffs", `{}`)).status)
	}
}

// A deadline that passes on a silent connection ends a stream of HTTP/2.
func TestHTTP2Stream_ContinuesAfterWriteDeadlineOfEvent(t *testing.T) {
	cfg := workspace(t)
	cfg.Caller = schemas.Caller{Via: schemas.ViaHTTP}
	endpoint := mcp.New(cfg).NewEndpoint(mcp.HTTPConfig{
		Caller: callerOfBearer, Recheck: acceptAll, Challenge: unchallenged,
		Now: func() time.Time { return time.Now().Add(-9900 * time.Millisecond) }, // events have a tenth of a second
	})
	server := httptest.NewUnstartedServer(endpoint)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Cleanup(func() { endpoint.Shutdown(t.Context()) })
	listen := modernRequest(7, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["handoff://inbox/qa"]}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(listen))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer qa", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
	} {
		r.Header.Set(name, value)
	}
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 2, response.ProtoMajor)
	heard := make([]byte, 0, 1<<16)
	for i := range 3 {
		for !strings.Contains(string(heard), "\n\n") {
			part := make([]byte, 1<<12)
			n, err := response.Body.Read(part)
			require.NoError(t, err, fmt.Sprint("event ", i))
			heard = append(heard, part[:n]...)
		}
		heard = heard[:0]
		<-time.After(150 * time.Millisecond) // the deadline passes
		sendWork(t, cfg, 1)
	}
}
