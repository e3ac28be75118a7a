package card_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestRegister_KeepsFieldsThatAreLeftOut(t *testing.T) {
	w, q := mailboxtest.With(t, "q")
	register := func(in schemas.RegisterIn) schemas.Card {
		in.Name = "q"
		out := mailboxtest.Must(t, w.Register, q, in)
		return out.Agent
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
	by := mailboxtest.Remote("qa", "1")
	by.Names = []schemas.Agent{"qa", "qa-2"}
	_, err := w.Register(context.Background(), by, schemas.RegisterIn{Name: "victim", Away: true})
	require.Equal(t, "name", mailboxtest.Refused(t, err, schemas.Denied, "victim").Field)
	out := mailboxtest.Must(t, w.Register, by, schemas.RegisterIn{Name: "qa-2", Accepts: []string{"tests"}})
	require.Equal(t, w.Now(), out.Agent.Seen, "from now on it is known")
}

// Whoever reads a request is told how far the connection proves who asks, and of a name that looks like another.
func TestBrief_SaysHowSenderIsProved(t *testing.T) {
	w, qa := mailboxtest.With(t, "qa")
	w.Sends(w.Stdio("claude-code"), "x", "known")
	for _, c := range []struct {
		by   schemas.Caller
		want string
	}{
		{w.Stdio("claude-code"), "your colleague claude-code: do"},
		{w.Stdio("c1aude_code"), "your colleague c1aude_code (not claude-code, whose name looks like it): do"},
		{schemas.Caller{Agent: "ci", Via: schemas.ViaHTTP}, "your colleague ci, who calls over the network: do"},
		{schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI}, "human, as whom any command may act: do"},
		{schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}, "a person, human: do"},
	} {
		w.Sends(c.by, "qa", "t", func(in *schemas.SendIn) { in.Key = c.want })
		require.Contains(t, w.Claims(qa).Brief, "A request from "+c.want)
	}
	require.False(t, schemas.Alike("dev", "qa"))
}
