package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// departures reports requests whose client has left, as the server notices it.
func departures() (left chan struct{}, through func(http.Handler) http.Handler) {
	left = make(chan struct{}, 10_000)
	return left, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer context.AfterFunc(r.Context(), func() { left <- struct{}{} })()
			h.ServeHTTP(w, r)
		})
	}
}

func TestHTTPClaim_ClaimsNothingIfWaitingClientLeaves(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			told := &waiting{Invoker: cfg.Invoker}
			cfg.Invoker = told
			s := serve(t, cfg, mcp.HTTPConfig{})
			qa := s.join(era, "qa")
			for range 50 {
				ctx, hangUp := context.WithCancel(t.Context())
				waits := qa.later(ctx, qa.call(7, "claim_handoff", claimAndWait))
				told.until(ctx, "qa")
				hangUp()
				require.Error(t, (<-waits).err)
			}
			s.settle(0)
			sendWork(t, cfg, 1)
			requireWaits(t, cfg)
		})
	}
}

// The claim is made, and its client leaves before the response is ready.
func TestHTTPClaim_IsReleasedIfClientLeft(t *testing.T) {
	for _, era := range eras {
		for _, args := range []string{`{}`, claimAndWait} {
			t.Run(era+args, func(t *testing.T) {
				honest, slow, l := lateWorkspace(t)
				left, through := departures()
				s := serveThrough(t, slow, mcp.HTTPConfig{}, through)
				qa := s.join(era, "qa")
				ctx, hangUp := context.WithCancel(t.Context())
				claims := qa.later(ctx, qa.call(7, "claim_handoff", args))
				<-l.taken
				hangUp()
				require.Error(t, (<-claims).err)
				<-left
				close(l.give)
				s.settle(0)
				requireWaits(t, honest)
			})
		}
	}
}

func TestHTTPClaim_InBatchIsReleasedIfClientLeft(t *testing.T) {
	honest, slow, l := lateWorkspace(t)
	left, through := departures()
	s := serveThrough(t, slow, mcp.HTTPConfig{}, through)
	qa := s.as("qa").in("2025-03-26")
	ctx, hangUp := context.WithCancel(t.Context())
	claims := qa.later(ctx, "["+call(7, "claim_handoff", `{}`)+","+ping(8)+"]")
	<-l.taken
	hangUp()
	require.Error(t, (<-claims).err)
	<-left
	close(l.give)
	s.settle(0)
	requireWaits(t, honest)
}

func TestHTTPClaim_IsReleasedIfCallIsCancelled(t *testing.T) {
	honest, slow, l := lateWorkspace(t)
	s := serve(t, slow, mcp.HTTPConfig{})
	qa := s.as("qa").in("2025-11-25")
	claims := qa.later(t.Context(), call(7, "claim_handoff", `{}`))
	<-l.taken
	require.Equal(t, http.StatusAccepted, qa.post(cancel("7")).status)
	close(l.give)
	silence := <-claims
	require.NoError(t, silence.err)
	require.Empty(t, silence.body)
	requireWaits(t, honest)
}

// steady reports the state of the contexts of calls when they were released.
type steady struct {
	holding
	ended chan error
}

func (s steady) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := s.holding.Invoke(ctx, c)
	if c.Tool == s.tool {
		s.ended <- ctx.Err()
	}
	return out, err
}

// A call is finished even if no client waits for the response.
func TestHTTPCall_IsFinishedAfterClientLeft(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			slow := steady{holding{cfg.Invoker, "send_handoff", make(chan struct{}), make(chan struct{})}, make(chan error, 1)}
			left, through := departures()
			c := cfg
			c.Invoker = slow
			s := serveThrough(t, c, mcp.HTTPConfig{}, through)
			architect := s.join(era, "architect")
			ctx, hangUp := context.WithCancel(t.Context())
			sends := architect.later(ctx, architect.call(7, "send_handoff", `{"to":"qa","task":"Test the login"}`))
			<-slow.begun
			hangUp()
			require.Error(t, (<-sends).err)
			<-left
			close(slow.release)
			require.NoError(t, <-slow.ended)
			s.settle(0)
			requireWaits(t, cfg)
		})
	}
}

// A balancer gave up on one server and got the claim from another: the first server does not release it.
func TestHTTPClaim_StaysIfLoadBalancerNamedRequest(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			honest, slow, l := lateWorkspace(t)
			left, through := departures()
			one, other := serveThrough(t, slow, mcp.HTTPConfig{}, through), serve(t, honest, mcp.HTTPConfig{})
			name := fmt.Sprintf("%d a", time.Now().Unix())
			named := func(s *site) joinedClient {
				c := s.join(era, "qa")
				c.remote = c.with(mcp.RequestHeader, name)
				return c
			}
			first, again := named(one), named(other)
			ctx, hangUp := context.WithCancel(t.Context())
			claims := first.later(ctx, first.call(7, "claim_handoff", `{}`))
			<-l.taken
			hangUp()
			require.Error(t, (<-claims).err)
			<-left
			var got schemas.ClaimOut
			require.NoError(t, json.Unmarshal([]byte(parse(t, again.post(again.call(7, "claim_handoff", `{}`)).body).text()), &got))
			close(l.give)
			one.settle(0)
			done := fmt.Sprintf(`{"handoff_id":"ho_1","summary":"done","claim_token":%q}`, got.Token)
			require.Contains(t, again.post(again.call(8, "complete_handoff", done)).body, `completed`)
		})
	}
}
