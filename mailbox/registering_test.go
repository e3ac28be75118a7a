package mailbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

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

func TestARegistrationOverHTTPIsForOnesOwnNames(t *testing.T) {
	w := newWorld(t)
	by := remote("qa", "1")
	by.Names = []schemas.Agent{"qa", "qa-2"}
	_, err := w.Register(context.Background(), by, schemas.RegisterIn{Name: "victim", Away: true})
	require.Equal(t, "name", refused(t, err, schemas.Denied, "victim").Field)
	out, err := w.Register(context.Background(), by, schemas.RegisterIn{Name: "qa-2", Accepts: []string{"tests"}})
	require.NoError(t, err)
	require.Equal(t, w.Now(), out.Agent.Seen, "from now on it is known")
}
