package card_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestRegister_KeepsFieldsThatAreLeftOut(t *testing.T) {
	w, q := mailboxtest.NewWithAgent(t, "q")
	register := func(in schemas.RegisterIn) schemas.Card {
		in.Name = "q"
		return mailboxtest.Must(t, w.Register, q, in).Agent
	}
	register(schemas.RegisterIn{Role: "testing", Accepts: []string{"test"}, MaxOpen: 1})
	away := register(schemas.RegisterIn{Away: true})
	require.True(t, away.Away)
	require.Equal(t, []string{"test"}, away.Accepts)
	require.Equal(t, "testing", register(schemas.RegisterIn{}).Role)

	a := w.Stdio("a")
	w.Sends(a, "role:testing", "one")
	w.Sends(a, "role:testing", "two")
	w.Sends(a, "q", "directed")
	require.Equal(t, schemas.ID(1), w.Claims(q).HandoffID)
	require.Equal(t, schemas.ID(3), w.Claims(q).HandoffID, "the pool waits while it holds as many as it said")
	require.True(t, w.Claims(q).Empty)
}

func TestRegister_RefusesForeignNameOverHTTP(t *testing.T) {
	w := mailboxtest.New(t)
	by := mailboxtest.RemoteCaller("qa", "1")
	by.Names = []schemas.Agent{"qa", "qa-2"}
	_, err := w.Register(context.Background(), by, schemas.RegisterIn{Name: "victim", Away: true})
	require.Equal(t, "name", mailboxtest.RequireError(t, err, schemas.Denied, "victim").Field)
	out := mailboxtest.Must(t, w.Register, by, schemas.RegisterIn{Name: "qa-2", Accepts: []string{"tests"}})
	require.Equal(t, w.Now(), out.Agent.Seen, "from now on it is known")
}
