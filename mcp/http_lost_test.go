package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
)

// departures tell of requests whose client has left, as the server notices it.
func departures() (left chan struct{}, through func(http.Handler) http.Handler) {
	left = make(chan struct{}, 10_000)
	return left, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer context.AfterFunc(r.Context(), func() { left <- struct{}{} })()
			h.ServeHTTP(w, r)
		})
	}
}

func TestHTTPClientThatStopsWaitingClaimsNothing(t *testing.T) {
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

// The claim is made, and its client leaves before the answer is there.
func TestHTTPClaimOfAClientThatLeftIsGivenBack(t *testing.T) {
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

func TestHTTPClaimWithinABatchOfAClientThatLeftIsGivenBack(t *testing.T) {
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

func TestHTTPCancelledClaimIsGivenBack(t *testing.T) {
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

// written are the answers that the connections of a site took.
type written struct {
	mu   sync.Mutex // guards the field below
	text []string
}

func (all *written) through(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := &writing{ResponseWriter: w}
		h.ServeHTTP(one, r)
		if one.broke == nil {
			all.mu.Lock()
			defer all.mu.Unlock()
			all.text = append(all.text, one.text.String())
		}
	})
}

// claims are the handoffs that were named in them.
func (all *written) claims(t *testing.T) map[string]bool {
	t.Helper()
	all.mu.Lock()
	defer all.mu.Unlock()
	named := map[string]bool{}
	for _, text := range all.text {
		if strings.Contains(text, `"claim_token"`) {
			named[claimed(t, text)] = true
		}
	}
	return named
}

type writing struct {
	http.ResponseWriter
	text  bytes.Buffer
	broke error
}

func (w *writing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writing) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.text.Write(p[:n])
	w.broke = errors.Join(w.broke, err)
	return n, err
}

func (w *writing) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	w.broke = errors.Join(w.broke, err)
	return err
}

// However a departure meets the mail, each handoff waits for the next one, or is named in an answer that was
// sent. Whether it then arrived, TCP does not tell.
func TestHTTPNoDepartureLosesAHandoff(t *testing.T) {
	claims := sandbox.Times(600)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			told, sent := &waiting{Invoker: cfg.Invoker}, &written{}
			slow := cfg
			slow.Invoker = told
			s := serveThrough(t, slow, mcp.HTTPConfig{}, sent.through)
			qa, read := s.join(era, "qa"), map[string]bool{}
			for range claims {
				ctx, hangUp := context.WithCancel(t.Context())
				waits := qa.later(ctx, qa.call(7, "claim_handoff", claimAndWait))
				told.until(ctx, "qa")
				time.AfterFunc(time.Duration(rand.IntN(400))*time.Microsecond, hangUp)
				sendWork(t, cfg, 1)
				if got := <-waits; got.err == nil {
					read[claimed(t, got.body)] = true
				}
				hangUp()
			}
			s.settle(0)
			requireNoneLost(t, cfg, claims, read, sent.claims(t))
		})
	}
}

func claimed(t *testing.T, body string) string {
	t.Helper()
	var got schemas.ClaimOut
	require.NoError(t, json.Unmarshal(parse(t, body).Result.StructuredContent, &got), body)
	return got.HandoffID.String()
}

func requireNoneLost(t *testing.T, cfg mcp.Config, all int, read, sent map[string]bool) {
	t.Helper()
	pending := 0
	for n := range all {
		h := stands(t, cfg, schemas.ID(n+1))
		id := h.HandoffID.String()
		if h.Status == schemas.Pending {
			require.False(t, read[id], id)
			pending++
		} else {
			require.True(t, sent[id], "nobody was told of %s", id)
		}
	}
	require.Positive(t, pending)
	require.NotEmpty(t, read)
}

// stands tells how it stands with a handoff.
func stands(t *testing.T, cfg mcp.Config, id schemas.ID) (out schemas.GetOut) {
	t.Helper()
	got, err := cfg.Invoker.Invoke(t.Context(), tools.Call{
		ID: cfg.NewRequestID(), Tool: "get_handoff", Args: json.RawMessage(fmt.Sprintf(`{"handoff_id":%q}`, id)),
		Caller: schemas.Caller{Agent: "architect", Via: schemas.ViaStdio},
	})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(got, &out))
	return out
}

// steady tells how it stood with the contexts of calls when they were let go.
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

// What was asked for is done, also when nobody waits for the answer.
func TestHTTPDepartureDoesNotCancelACall(t *testing.T) {
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

// A balancer gave up on one server and got the claim from another: the first one does not give it back.
func TestHTTPClaimThatABalancerGotElsewhereStays(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			honest, slow, l := lateWorkspace(t)
			left, through := departures()
			one, other := serveThrough(t, slow, mcp.HTTPConfig{}, through), serve(t, honest, mcp.HTTPConfig{})
			name := fmt.Sprintf("%d a", time.Now().Unix())
			named := func(s *site) member {
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
