package operation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
)

// repeatedClaim is a world with one handoff for b, which makes one call twice under one request id.
type repeatedClaim struct {
	*mailboxtest.World
	b    *mailboxtest.ScriptedBackend
	by   schemas.Caller
	ctx  context.Context // of the call that breaks
	stop context.CancelFunc
}

func newRepeatedClaim(t *testing.T) *repeatedClaim {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	w.Sends(w.Stdio("a"), "b", "x")
	tw := &repeatedClaim{World: w, b: b, by: withRequestID(w.Stdio("b"), "0001")}
	tw.ctx, tw.stop = context.WithCancel(context.Background())
	t.Cleanup(tw.stop)
	return tw
}

// breaks makes the call whose connection breaks.
func (tw *repeatedClaim) claimWithoutAnswer() {
	tw.T.Helper()
	_, err := tw.Claim(tw.ctx, tw.by, schemas.ClaimIn{})
	require.ErrorIs(tw.T, err, context.Canceled)
}

// requireClaimHeld fails the test if a claim that the caller received was released.
func (tw *repeatedClaim) requireClaimHeld(got schemas.ClaimOut) {
	tw.T.Helper()
	require.Equal(tw.T, schemas.ID(1), got.HandoffID)
	tw.Completes(withRequestID(tw.by, ""), 1, func(in *schemas.CompleteIn) { in.Token = got.Token })
}

func TestUndeliveredClaim_IsKeptIfRepeatGotIt(t *testing.T) {
	tw := newRepeatedClaim(t)
	var got schemas.ClaimOut
	tw.b.Then = []func(){func() { // the claim is committed and not answered
		tw.stop()
		got = tw.Claims(tw.by)
	}}
	tw.claimWithoutAnswer()
	tw.requireClaimHeld(got)
}

// Another call of the same client asks for the handoff by its id and gets the claim that was not delivered.
func TestUndeliveredClaim_IsKeptIfClaimByIDGotIt(t *testing.T) {
	tw := newRepeatedClaim(t)
	tw.by.Conn = "c1"
	mailboxtest.Must(t, tw.Attach, tw.by, schemas.ConnIn{Conn: tw.by.Conn})
	var got schemas.ClaimOut
	tw.b.Then = []func(){func() {
		tw.stop()
		got = mailboxtest.Must(t, tw.Claim, withRequestID(tw.by, "0002"), schemas.ClaimIn{HandoffID: "1"})
	}}
	tw.claimWithoutAnswer()
	tw.requireClaimHeld(got)
}

// Two calls break, one after the other. The first releases its claim, the second claims anew, and a repeat gets the new
// claim before the first call ends.
func TestUndeliveredClaim_ReleaseKeepsNewerClaim(t *testing.T) {
	tw := newRepeatedClaim(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var got schemas.ClaimOut
	told, first, second := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	tw.b.Then = []func(){
		tw.stop, // the first claim is committed and not answered
		func() { // it was released
			go func() {
				_, err := tw.Claim(ctx, tw.by, schemas.ClaimIn{})
				second <- err
			}()
			<-told
		},
		func() { // the second claim is committed and not answered
			stop()
			got = tw.Claims(tw.by)
			close(told)
			<-first
		},
	}
	_, err := tw.Claim(tw.ctx, tw.by, schemas.ClaimIn{})
	mailboxtest.RequireError(t, err, schemas.Unavailable, "given back")
	close(first)
	require.ErrorIs(t, <-second, context.Canceled)
	tw.requireClaimHeld(got)
}

// The call that breaks begins after its repeat ended.
func TestUndeliveredClaim_IsKeptIfEarlierCallGotIt(t *testing.T) {
	tw := newRepeatedClaim(t)
	got := tw.Claims(tw.by)
	tw.b.Then = []func(){tw.stop}
	tw.claimWithoutAnswer()
	tw.requireClaimHeld(got)
}

// TestClaim_ConcurrentRepeatsClaimOnce lets calls with one request id break at random moments. Each call that gets a
// response must get the same valid claim. If no call gets a response, a call with the id of the handoff must get the
// handoff.
func TestClaim_ConcurrentRepeatsClaimOnce(t *testing.T) {
	const rounds, calls = 60, 5
	w := mailboxtest.New(t, mailboxtest.InBackend(mailboxtest.Backends["bolt"](t)))
	for round := range rounds {
		id := w.Sends(mailboxtest.Human, "b", fmt.Sprint(round), mailboxtest.NoParent).HandoffID
		by := withRequestID(mailboxtest.RemoteCaller("b", "1"), fmt.Sprintf("%04d", round))
		token := claimConcurrently(w, by, calls)
		if token == "" {
			token = w.ClaimsID(mailboxtest.RemoteCaller("b", "1"), id).Token
		}
		w.Completes(mailboxtest.RemoteCaller("b", "1"), id, func(in *schemas.CompleteIn) { in.Token = token })
	}
}

// claimConcurrently makes calls at the same time, some of which break, and returns the token that the others got.
func claimConcurrently(w *mailboxtest.World, by schemas.Caller, calls int) (token string) {
	var under sync.WaitGroup
	var mu sync.Mutex // guards token
	for range calls {
		ctx, stop := context.WithCancel(context.Background())
		turns, breaks := rand.IntN(400), rand.IntN(3) > 0
		under.Go(func() {
			for range turns {
				runtime.Gosched()
			}
			if breaks {
				stop()
			}
		})
		under.Go(func() {
			defer stop()
			out, err := w.Claim(ctx, by, schemas.ClaimIn{})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && (token == "" || token == out.Token) && out.Token != "":
				token = out.Token
			case !errors.Is(err, context.Canceled):
				w.T.Error(token, out, err)
			}
		})
	}
	under.Wait()
	return token
}
