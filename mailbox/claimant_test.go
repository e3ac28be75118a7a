package mailbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// Without a connection only the instance proves the claimant. Without an instance nothing does.
func TestClaim_WithoutConnectionBelongsToSameInstance(t *testing.T) {
	w := newWorld(t)
	a, here, there, nobody := w.Stdio("a"), remote("b", "session:1"), remote("b", "session:2"), remote("b", "")
	w.Sends(a, "b", "x")
	w.Sends(a, "b", "y")
	w.ClaimsID(here, 1)
	w.ClaimsID(nobody, 2)
	for _, by := range []schemas.Caller{there, nobody} {
		mailboxtest.RequireRefusal(t, w.Claim, by, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
		_, err := w.Complete(context.Background(), by, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
		refused(t, err, schemas.Invalid, "claim_token is needed")
	}
	mailboxtest.RequireRefusal(t, w.Claim, nobody, schemas.ClaimIn{HandoffID: "2"}, schemas.Conflict, "ho_2 is accepted")
	_, err := w.Complete(context.Background(), nobody, schemas.CompleteIn{HandoffID: "2", Result: schemas.Result{Summary: "s"}})
	refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it")
	w.ClaimsID(here, 1)
	w.Completes(here, 1)
	require.Equal(t, schemas.Completed, w.Status(1))
}

// A client acts under the name of a person at the keyboard. It gets no advice that would not work.
func TestComplete_WithoutTokenAdvisesNoClaimIfPersonHoldsWork(t *testing.T) {
	w, client := newWorldWith(t, "b")
	w.Sends(w.Stdio("a"), "b", "x")
	w.ClaimsID(schemas.Caller{Agent: "b", Via: schemas.ViaCLI}, 1)
	_, err := w.Complete(context.Background(), client, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
	require.Empty(t, refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it").Next)
	mailboxtest.RequireRefusal(t, w.Claim, client, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
}
