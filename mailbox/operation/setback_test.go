package operation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
)

const year = 365 * 24 * time.Hour

// runWithClockAhead runs something a year ahead of the clock, and then corrects the clock, for the same process or
// another one.
func runWithClockAhead(t *testing.T, do func(w *mailboxtest.World), then func(w *mailboxtest.World)) {
	for name, restart := range map[string]bool{"in one process": false, "in the next process": true} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			w.Sends(mailboxtest.Human, "b", "sent while it was right")
			w.Pass(year)
			do(w)
			w.Pass(-year)
			if restart {
				w.Restart()
			}
			then(w)
			w.CheckIntact()
		})
	}
}

func TestClockSetBack_CutsLeaseAndLastSign(t *testing.T) {
	runWithClockAhead(t, func(w *mailboxtest.World) { w.Claims(schemas.Caller{Agent: "b", Via: schemas.ViaCLI}) }, func(w *mailboxtest.World) {
		now := w.FullView(1).Standing
		require.WithinRange(t, *now.LeaseEnds, w.Now(), w.Now().Add(30*time.Minute))
		require.False(t, now.LastSign.After(w.Now()))
		w.Pass(29 * time.Minute)
		require.Equal(t, schemas.Accepted, w.Status(1))
		w.Pass(2 * time.Minute)
		require.Equal(t, schemas.Pending, w.Status(1))
	})
}

func TestClockSetBack_CutsReservationAndDelay(t *testing.T) {
	b := schemas.Caller{Agent: "b", Via: schemas.ViaCLI}
	runWithClockAhead(t, func(w *mailboxtest.World) {
		w.Claims(b)
		w.Updates(b, 1, schemas.ActAsk, mailboxtest.WithQuestions("How?"))
		c := schemas.Caller{Agent: "c", Via: schemas.ViaCLI}
		mailboxtest.Must(t, w.Register, c, schemas.RegisterIn{Name: "c", Role: "testing"})
		w.Sends(mailboxtest.Human, "role:testing", "reserved")
		w.ClaimsID(c, 2)
		w.Updates(c, 2, schemas.ActAsk, mailboxtest.WithQuestions("How?"))
		w.Updates(mailboxtest.Human, 2, schemas.ActAnswer, func(in *schemas.UpdateIn) { in.Note = "So." })
		w.Sends(mailboxtest.Human, "b", "later", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "2 hours"} })
	}, func(w *mailboxtest.World) {
		require.False(t, w.FullView(1).Standing.LastSign.After(w.Now()))
		w.Pass(14 * time.Minute)
		require.Equal(t, "c", string(w.FullView(2).Standing.Box))
		w.Pass(2 * time.Minute)
		require.Equal(t, "role:testing", string(w.FullView(2).Standing.Box))
		w.Pass(2 * time.Hour)
		require.Equal(t, schemas.ID(3), w.ClaimsID(b, 3).HandoffID)
	})
}

func TestClockSetBack_CutsManyHandoffsInTwoOperations(t *testing.T) {
	w := mailboxtest.New(t)
	w.Pass(year)
	for range 1_100 {
		w.Sends(mailboxtest.Human, "b", "later", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "2 hours"} })
	}
	w.Pass(-year)
	for _, last := range []string{"sent", "renewed"} {
		w.Restart()
		mailboxtest.Must(t, w.Declare, mailboxtest.Human, schemas.DeclareIn{Digest: last})
		require.Contains(t, w.EventActions(1_000), "renewed")
		actions := w.EventActions(1_100)
		require.Equal(t, last, actions[len(actions)-1])
	}
}

func TestClockSetBack_IsNotDetectedForOperationThatWaited(t *testing.T) {
	b := &mailboxtest.BreakingBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	w.Sends(mailboxtest.Human, "b", "x")
	b.Wait = func() {
		w.Pass(2 * time.Minute)
		w.Claims(schemas.Caller{Agent: "b", Via: schemas.ViaCLI})
	}
	w.Sends(mailboxtest.Human, "c", "y")
	require.Equal(t, []string{"sent", "claimed"}, w.EventActions(1), "no lease was cut")
}

// The clock was behind at the time of a claim. When the clock is set right, the lease has ended, and the holder still
// keeps the claim.
func TestClockSetForward_KeepsClaimUntilOtherAgentClaims(t *testing.T) {
	w := mailboxtest.New(t)
	b := schemas.Caller{Agent: "b", Via: schemas.ViaCLI}
	w.Sends(mailboxtest.Human, "b", "x")
	w.Pass(-year)
	w.Claims(b)
	w.Pass(year)
	w.Restart()
	require.Equal(t, schemas.Completed, w.Completes(b, 1).Status)
}
