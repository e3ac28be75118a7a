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

// reportHangUps returns a channel that receives a value when the server notices that a client hung up.
func reportHangUps() (left chan struct{}, through func(http.Handler) http.Handler) {
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
			told := &claimWatcher{Invoker: cfg.Invoker}
			cfg.Invoker = told
			s := serve(t, cfg, mcp.HTTPConfig{})
			qa := s.join(era, "qa")
			for range 50 {
				ctx, hangUp := context.WithCancel(t.Context())
				waits := qa.postAsync(ctx, qa.call(7, "claim_handoff", claimAndWait))
				told.awaitClaim(ctx, "qa")
				hangUp()
				require.Error(t, (<-waits).err)
			}
			s.awaitAtMostRunning(0)
			sendWork(t, cfg, 1)
			requireClaimable(t, cfg)
		})
	}
}

// The claim is made, and its client leaves before the response is ready.
func TestHTTPClaim_IsReleasedIfClientLeft(t *testing.T) {
	for _, era := range eras {
		for _, args := range []string{`{}`, claimAndWait} {
			t.Run(era+args, func(t *testing.T) {
				honest, slow, l := workspaceWithDelayedClaims(t)
				left, through := reportHangUps()
				s := serveBehindHandler(t, slow, mcp.HTTPConfig{}, through)
				qa := s.join(era, "qa")
				ctx, hangUp := context.WithCancel(t.Context())
				claims := qa.postAsync(ctx, qa.call(7, "claim_handoff", args))
				<-l.taken
				hangUp()
				require.Error(t, (<-claims).err)
				<-left
				close(l.give)
				s.awaitAtMostRunning(0)
				requireClaimable(t, honest)
			})
		}
	}
}

func TestHTTPClaim_IsReleasedIfCallIsCancelled(t *testing.T) {
	honest, slow, l := workspaceWithDelayedClaims(t)
	s := serve(t, slow, mcp.HTTPConfig{})
	qa := s.newClient("qa").beginSession("2025-11-25")
	claims := qa.postAsync(t.Context(), callRequest(7, "claim_handoff", `{}`))
	<-l.taken
	require.Equal(t, http.StatusAccepted, qa.post(cancellation("7")).status)
	close(l.give)
	silence := <-claims
	require.NoError(t, silence.err)
	require.Empty(t, silence.body)
	requireClaimable(t, honest)
}

// contextReporter delays the calls of one tool, and reports whether the context of each call had ended by its release.
type contextReporter struct {
	callDelayer
	ended chan error
}

func (s contextReporter) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := s.callDelayer.Invoke(ctx, c)
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
			slow := contextReporter{callDelayer{cfg.Invoker, "send_handoff", make(chan struct{}), make(chan struct{})}, make(chan error, 1)}
			left, through := reportHangUps()
			c := cfg
			c.Invoker = slow
			s := serveBehindHandler(t, c, mcp.HTTPConfig{}, through)
			architect := s.join(era, "architect")
			ctx, hangUp := context.WithCancel(t.Context())
			sends := architect.postAsync(ctx, architect.call(7, "send_handoff", `{"to":"qa","task":"Test the login"}`))
			<-slow.begun
			hangUp()
			require.Error(t, (<-sends).err)
			<-left
			close(slow.release)
			require.NoError(t, <-slow.ended)
			s.awaitAtMostRunning(0)
			requireClaimable(t, cfg)
		})
	}
}

// A load balancer gave up on one server and got the claim from another server. The first server must not release the
// claim.
func TestHTTPClaim_StaysIfLoadBalancerNamedRequest(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			honest, slow, l := workspaceWithDelayedClaims(t)
			left, through := reportHangUps()
			one, other := serveBehindHandler(t, slow, mcp.HTTPConfig{}, through), serve(t, honest, mcp.HTTPConfig{})
			name := fmt.Sprintf("%d a", time.Now().Unix())
			named := func(s *site) joinedClient {
				c := s.join(era, "qa")
				c.httpClient = c.withHeaders(mcp.RequestHeader, name)
				return c
			}
			first, again := named(one), named(other)
			ctx, hangUp := context.WithCancel(t.Context())
			claims := first.postAsync(ctx, first.call(7, "claim_handoff", `{}`))
			<-l.taken
			hangUp()
			require.Error(t, (<-claims).err)
			<-left
			var got schemas.ClaimOut
			require.NoError(t, json.Unmarshal([]byte(parse(t, again.post(again.call(7, "claim_handoff", `{}`)).body).text()), &got))
			close(l.give)
			one.awaitAtMostRunning(0)
			done := fmt.Sprintf(`{"handoff_id":"ho_1","summary":"done","claim_token":%q}`, got.Token)
			require.Contains(t, again.post(again.call(8, "complete_handoff", done)).body, `completed`)
		})
	}
}
