package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func withNoTakers(then string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Terms: schemas.Terms{NoTakers: then}} }
}

// recipient returns the current recipient of a handoff.
func (w *world) recipient(id schemas.ID) schemas.Address {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.List, person, schemas.ListIn{Box: "all"})
	for _, it := range out.Items {
		if it.HandoffID == id {
			return it.To
		}
	}
	return ""
}

func TestNoTakers_RedirectsUnclaimedWork(t *testing.T) {
	for _, c := range []struct {
		to, noTakers string
		goes         schemas.Address
		told         string
	}{
		{"capability:review", "return", "a", "for a again"},
		{"b", "return", "a", "from b within 15 minutes"},
		{"b", "human", "human", "for human now"},
		{"role:testing", "human", "human", "for human now"},
		{"capability:review", "generalist", "capability:*", "accept anything"},
		{"b", "generalist", "capability:*", "accept anything"},
		{"b", "wait", "b", "it waits on"},
		{"b", "", "b", ""},
	} {
		t.Run(c.noTakers+" "+c.to, func(t *testing.T) {
			w, a, b, takesAll := newTrio(t, "a", "b", "all")
			w.Accepts("*", takesAll)
			out := w.Sends(a, c.to, "x", withNoTakers(c.noTakers))
			w.Pass(14 * time.Minute)
			require.Equal(t, schemas.Address(c.to), w.recipient(out.HandoffID), "nothing was due yet")
			for range 3 {
				w.Pass(time.Hour)
			}
			require.Equal(t, c.goes, w.recipient(out.HandoffID))
			if c.told == "" {
				require.Empty(t, w.Notices(a))
				return
			}
			require.Contains(t, out.Warnings[len(out.Warnings)-1], "if nobody claims it within 15 minutes")
			told := w.Notices(a)
			require.Len(t, told, 1, "the sender is told once")
			require.Contains(t, told[0].Text, c.told)
			by := map[schemas.Address]schemas.Caller{"a": a, "human": person, "capability:*": takesAll, "b": b}[c.goes]
			require.Equal(t, out.HandoffID, w.Claims(by).HandoffID)
		})
	}
}

func TestNoTakers_CountsOnlyTimeInWhichWorkIsClaimable(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	first := w.Sends(b, "a", "before").HandoffID
	id := w.Sends(a, "b", "x", withNoTakers("human"), func(in *schemas.SendIn) { in.Options.After = []string{first.String()} }).HandoffID
	w.Pass(time.Hour)
	w.Claims(a)
	w.Completes(a, first)
	w.Pass(14 * time.Minute)
	require.Equal(t, id, w.Claims(b).HandoffID)
	w.Pass(10 * time.Minute)
	w.Updates(b, id, schemas.ActRelease)
	w.Pass(14 * time.Minute)
	require.Equal(t, schemas.Address("b"), w.recipient(id), "it counts anew where work is given back")
	w.Pass(time.Minute)
	require.Equal(t, schemas.Address("human"), w.recipient(id))

	later := w.Sends(a, "b", "y", withNoTakers("return"), func(in *schemas.SendIn) { in.Options.NoTakersAfter = 40 }).HandoffID
	told := w.Sends(a, "b", "z", withNoTakers(""), func(in *schemas.SendIn) { in.Options.NoTakersAfter = 40 })
	require.Contains(t, told.Warnings, "if nobody claims it within 40 minutes, you are told")
	w.Pass(39 * time.Minute)
	require.Equal(t, schemas.Address("b"), w.recipient(later))
	w.Pass(time.Minute)
	require.Equal(t, schemas.Address("a"), w.recipient(later), "the sender chose 40 minutes")
}

func TestNoTakers_WithoutGeneralistKeepsRecipient(t *testing.T) {
	w, a := newWorldWith(t, "a")
	id := w.Sends(a, "capability:review", "x", withNoTakers("generalist")).HandoffID
	w.Pass(time.Hour)
	require.Equal(t, schemas.Address("capability:review"), w.recipient(id))
	require.Contains(t, w.Notices(a)[0].Text, "no agent is known that accepts anything")
}
