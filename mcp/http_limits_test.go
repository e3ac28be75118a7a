package mcp_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

func TestHTTPLongPolls_OfOneTokenDoNotBlockAnotherToken(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			held := newStandIn()
			s := serve(t, config(held), mcp.HTTPConfig{Waits: mcp.UseLimit{All: 10, Each: 2}})
			eve, qa := s.join(era, "eve"), s.join(era, "qa")
			for range 2 {
				eve.postAsync(t.Context(), eve.call(7, "claim_handoff", claimAndWait))
				<-held.started
			}
			refused := eve.post(eve.call(7, "claim_handoff", claimAndWait))
			requireRefusedCall(t, refused, era, schemas.Limit)
			require.Contains(t, parse(t, refused.body).text(), "too many calls that wait: at most 2 of one token, 10 in all")
			require.False(t, eve.postForAnswer(eve.call(7, "claim_handoff", `{}`)).Result.IsError, "that does not wait")

			qa.postAsync(t.Context(), qa.call(7, "claim_handoff", claimAndWait))
			require.Equal(t, "claim_handoff", <-held.started)
		})
	}
}

// requireRefusedCall checks that the result tells a model when to try again.
func requireRefusedCall(t *testing.T, got response, era string, code schemas.Code) {
	t.Helper()
	require.Equal(t, http.StatusOK, got.status)
	said := parse(t, got.body)
	require.Equal(t, "7", string(said.ID))
	require.True(t, said.Result.IsError)
	require.Contains(t, said.text(), `"code":"`+string(code)+`"`)
	require.Contains(t, said.text(), `"retry_after_seconds":5`)
	require.Equal(t, era == "2026-07-28", strings.Contains(got.body, `"resultType":"complete"`), got.body)
}

func TestHTTPLongPolls_HaveLimitForAllTokens(t *testing.T) {
	held := newStandIn()
	s := serve(t, config(held), mcp.HTTPConfig{Waits: mcp.UseLimit{All: 1, Each: 1}})
	eve, qa := s.join("2025-11-25", "eve"), s.join("2025-11-25", "qa")
	eve.postAsync(t.Context(), eve.call(7, "claim_handoff", claimAndWait))
	<-held.started
	require.True(t, qa.postForAnswer(qa.call(7, "claim_handoff", claimAndWait)).Result.IsError)
	require.Equal(t, http.StatusAccepted, eve.post(cancellation("7")).status)
	s.awaitAtMostRunning(0)
	qa.postAsync(t.Context(), qa.call(7, "claim_handoff", claimAndWait))
	<-held.started
}

func TestHTTPStreams_OfOneTokenDoNotBlockAnotherToken(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := serve(t, workspace(t), mcp.HTTPConfig{Streams: mcp.UseLimit{All: 10, Each: 1}})
			first := s.join(era, "eve").watch(7, "handoff://inbox")
			eve := s.join(era, "eve")
			method, body := http.MethodGet, ""
			if eve.modern {
				method, body = http.MethodPost, eve.write(7, "subscriptions/listen", `"notifications":{"resourceSubscriptions":["handoff://inbox"]}`)
			}
			refused := eve.send(method, body)
			require.Equal(t, http.StatusTooManyRequests, refused.status)
			require.Equal(t, "5", refused.header.Get("Retry-After"))
			require.Contains(t, refused.body, `"retry_after_seconds":5`)
			s.join(era, "qa").watch(7, "handoff://inbox")
			first.leave()
			s.awaitAtMostRunning(1)
			s.join(era, "eve").watch(7, "handoff://inbox")
		})
	}
}

// refuseOneToken returns a function that accepts all requests, except that it refuses the token "refused" with err.
func refuseOneToken(err error) func(*http.Request) (schemas.Caller, error) {
	return func(r *http.Request) (schemas.Caller, error) {
		by, _ := callerOfBearer(r)
		if by.Token == "refused" {
			return by, err
		}
		return by, nil
	}
}

func TestHTTPRefusal_PutsTemporaryErrorIntoToolResult(t *testing.T) {
	for status, later := range map[int]*schemas.Error{
		http.StatusTooManyRequests:    schemas.Errorf(schemas.Limit, "too many calls").WithRetryAfter(5 * time.Second),
		http.StatusServiceUnavailable: schemas.Errorf(schemas.Unavailable, "nobody can tell").WithRetryAfter(5 * time.Second),
	} {
		s := serve(t, config(newStandIn()), mcp.HTTPConfig{Caller: refuseOneToken(later)})
		for _, era := range eras {
			t.Run(era, func(t *testing.T) {
				c := s.join(era, "qa")
				c.httpClient = c.withHeaders("Authorization", "Bearer refused")
				refused := c.post(c.call(7, "send_handoff", `{}`))
				requireRefusedCall(t, refused, era, later.Code)
				require.Equal(t, "5", refused.header.Get("Retry-After"))
				for _, body := range []string{c.write(7, "ping", ``), c.write(7, "resources/list", ``), cancellation("7"), "[" + ping(1) + "]", "{"} {
					got := c.post(body)
					require.Equal(t, status, got.status, body)
					require.Equal(t, "5", got.header.Get("Retry-After"))
				}
			})
		}
		require.Equal(t, status, s.newClient("refused").send(http.MethodGet, "").status)
		require.Equal(t, status, s.newClient("refused").send(http.MethodDelete, "").status)
	}
}

func TestHTTPRefusal_OfCallerHasStatusAndHeaders(t *testing.T) {
	challenge := func(h http.Header, refused error) int {
		switch schemas.AsError(refused).Field {
		case "token":
			h.Set("WWW-Authenticate", `Bearer realm="shop"`)
			return http.StatusUnauthorized
		case "scope":
			h.Set("WWW-Authenticate", `Bearer error="insufficient_scope"`)
		}
		return unchallenged(h, refused)
	}
	for name, tt := range map[string]struct {
		err    error
		status int
		said   string
		header map[string]string
	}{
		"denied":         {schemas.Errorf(schemas.Denied, "not you"), http.StatusForbidden, `"code":"denied"`, nil},
		"proves nothing": {schemas.Errorf(schemas.Denied, "who are you").WithField("token"), http.StatusUnauthorized, "who are you", map[string]string{"Www-Authenticate": `Bearer realm="shop"`}},
		"too little":     {schemas.Errorf(schemas.Denied, "not that").WithField("scope"), http.StatusForbidden, "not that", map[string]string{"Www-Authenticate": `Bearer error="insufficient_scope"`}},
		"unavailable":    {schemas.Errorf(schemas.Unavailable, "later").WithRetryAfter(time.Second), http.StatusServiceUnavailable, `"code":"unavailable"`, map[string]string{"Retry-After": "1"}},
		"internal":       {errors.New("a secret of the server"), http.StatusInternalServerError, "the server could not do this", nil},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(newStandIn())
			log := captureLog(&cfg)
			s := serve(t, cfg, mcp.HTTPConfig{Caller: refuseOneToken(tt.err), Challenge: challenge})
			c := s.newClient("qa").beginSession("2025-11-25").withHeaders("Authorization", "Bearer refused")
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				got := c.send(method, ping(7))
				require.Equal(t, tt.status, got.status)
				require.Contains(t, got.body, tt.said)
				require.NotContains(t, got.body, "secret")
				for name, value := range tt.header {
					require.Equal(t, value, got.header.Get(name))
				}
				require.Equal(t, tt.header["Www-Authenticate"], got.header.Get("Www-Authenticate"))
			}
			s.shutdown()
			require.Equal(t, name == "internal", log.Len() > 0, log.String())
		})
	}
}
