package mailbox_test

import (
	"context"
	"testing"

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
