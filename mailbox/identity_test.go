package mailbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// Subagents of one client share a connection, and models forget to repeat their name.
func TestTheClaimTokenSaysWhoActsOnTheSameConnection(t *testing.T) {
	w := newWorld(t)
	main := w.stdio("claude-code")
	sub := main
	sub.Agent = "qa"
	w.send(main, "qa", "x")
	token := w.claim(sub).Token
	stranger := w.stdio("other")
	_, err := w.Complete(context.Background(), stranger, schemas.CompleteIn{HandoffID: "1", Summary: "s", Token: token})
	refused(t, err, schemas.Denied, "qa holds it")

	w.complete(main, 1, func(in *schemas.CompleteIn) {
		in.Token = token
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "ciso", Task: "y"}}
	})
	require.Equal(t, schemas.Agent("qa"), w.full(1).Completion.Source.Agent)
	require.Equal(t, schemas.Agent("qa"), w.full(2).Handoff.Source.Agent)
}

func TestRegisteringAgainKeepsWhatIsNotSaid(t *testing.T) {
	w := newWorld(t)
	q := w.stdio("q")
	register := func(in schemas.RegisterIn) schemas.Card {
		in.Name = "q"
		out, err := w.Register(context.Background(), q, in)
		require.NoError(t, err)
		return out.Agent
	}
	register(schemas.RegisterIn{Role: "testing", Accepts: []string{"test"}, MaxOpen: 1})
	away := register(schemas.RegisterIn{Away: true})
	require.True(t, away.Away)
	require.Equal(t, []string{"test"}, away.Accepts)
	require.Equal(t, "testing", register(schemas.RegisterIn{}).Role)

	a := w.stdio("a")
	w.send(a, "role:testing", "one")
	w.send(a, "role:testing", "two")
	w.send(a, "q", "directed")
	require.Equal(t, schemas.ID(1), w.claim(q).HandoffID)
	require.Equal(t, schemas.ID(3), w.claim(q).HandoffID, "the pool waits while it holds as many as it said")
	require.True(t, w.claim(q).Empty)
}

func TestMailMakesANameKnown(t *testing.T) {
	w := newWorld(t)
	a := w.stdio("a")
	w.send(a, "c", "x")
	_, err := w.Register(context.Background(), a, schemas.RegisterIn{Name: "b"})
	require.NoError(t, err)
	w.send(a, "c", "y")
	_, err = w.Send(context.Background(), a, schemas.SendIn{To: "d", Task: "z"})
	refused(t, err, schemas.NotFound, "options.force")
	w.send(a, "d", "z", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Force: true} })
}

func TestATokenDoesNotTakeASendersRightsAway(t *testing.T) {
	w := newWorld(t)
	lead := w.stdio("lead")
	worker := lead
	worker.Agent = "worker"
	w.send(lead, "worker", "x")
	claim := w.claim(worker)
	w.complete(worker, 1)
	token := func(in *schemas.UpdateIn) { in.Token = claim.Token }
	w.update(lead, 1, schemas.ActReturn, note("not yet"), token)
	require.Equal(t, schemas.Returned, w.status(1))
}

func TestARejectionWithATokenIsTheHolders(t *testing.T) {
	w := newWorld(t)
	s, b := w.stdio("s"), w.stdio("b")
	a := b
	a.Agent = "a"
	for _, name := range []string{"a", "b", "o"} {
		_, err := w.Register(context.Background(), person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
		require.NoError(t, err)
	}
	w.send(s, "capability:k", "x")
	w.fail(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, Description: "no"})
	claim := w.claim(a)
	w.fail(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, Description: "not me", Token: claim.Token})
	require.Equal(t, []schemas.Agent{"b", "a"}, w.full(1).Standing.Excluded)
}

func TestASilentAttemptStaysOneAlthoughItsHolderDeclinesLater(t *testing.T) {
	w := newWorld(t)
	s := w.stdio("s")
	for _, name := range []string{"c", "d"} {
		_, err := w.Register(context.Background(), person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
		require.NoError(t, err)
	}
	c, d := schemas.Caller{Agent: "c", Via: schemas.ViaHTTP}, schemas.Caller{Agent: "d", Via: schemas.ViaHTTP}
	w.send(s, "capability:k", "x")
	claim := w.claim(c)
	w.later(2 * time.Hour)
	w.fail(c, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, Description: "no", Token: claim.Token})
	require.Equal(t, 2, w.claim(d).Attempt)
}

func TestWhoWaitsForARetryIsNotToldThatItIsBlocked(t *testing.T) {
	w := newWorld(t)
	s, c := w.stdio("s"), w.stdio("c")
	w.send(s, "c", "x")
	w.send(s, "d", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: []string{"1"}} })
	w.claim(c)
	w.fail(c, schemas.FailIn{HandoffID: "1", Description: "no", Then: schemas.ThenRetry})
	require.NotContains(t, w.kinds(s, 2), "blocked")
	require.Equal(t, []string{"ho_3"}, w.full(2).Standing.BlockedBy)
}

func TestTooManyTagsAreRefusedHoweverTheyAreWritten(t *testing.T) {
	w := newWorld(t)
	_, err := w.Send(context.Background(), w.stdio("a"), schemas.SendIn{To: "b", Task: "x", Tags: []string{strings.Repeat("t,", 33)}})
	require.Equal(t, "tags", refused(t, err, schemas.Limit, "33 tags").Field)
}
