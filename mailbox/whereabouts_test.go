package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// brief is what somebody reads who looks at a handoff.
func (w *world) brief(by schemas.Caller, id string) string {
	w.t.Helper()
	out, err := w.Get(w.t.Context(), by, schemas.GetIn{HandoffID: id})
	require.NoError(w.t, err)
	return out.Brief
}

func TestBriefTellsWhyNobodyMayClaim(t *testing.T) {
	w := newWorld(t)
	lead := w.stdio("lead")
	w.send(lead, "dev", "x")
	w.send(lead, "dev", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{AfterAccepted: []string{"1"}} })
	w.send(lead, "dev", "z", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "2h"} })
	w.update(lead, 1, schemas.ActCancel, note("not needed"))
	require.Contains(t, w.brief(lead, "1"), "- It ended as cancelled: not needed\n")
	require.Contains(t, w.brief(lead, "2"), "Nobody may claim it yet: it waits for acceptance of ho_1; ho_1, for which it waits, was cancelled\n")
	require.Contains(t, w.brief(lead, "3"), "Nobody may claim it before "+w.Now().Add(2*time.Hour).UTC().Format(time.RFC3339))
	require.Contains(t, w.notices(lead)[0].Text, "options.after_accepted of [none]")
	again := w.update(lead, 1, schemas.ActRetry).Created
	require.Contains(t, w.brief(lead, again.String()), "ho_1 cancelled: not needed\n")
}

func TestFailedWorkNamesWhatTookItsPlace(t *testing.T) {
	w := newWorld(t)
	lead, qa := w.stdio("lead"), w.stdio("qa")
	w.send(lead, "qa", "x")
	w.claim(qa)
	w.fail(qa, schemas.FailIn{HandoffID: "1", FailureDetail: because("no")})
	require.Equal(t, schemas.ID(2), w.notices(lead)[0].Successor)
	require.Contains(t, w.brief(lead, "1"), "- It ended as failed: no; ho_2 took its place\n")
	_, err := w.tryUpdate(qa, 1, schemas.ActProgress, note("on it"))
	refused(t, err, schemas.Conflict, "ho_2 took its place, for lead: leave the work to that one.")
}

func TestWhoGoesOnIsToldOfTheLateResult(t *testing.T) {
	w := newWorld(t)
	lead, qa := w.stdio("lead"), w.stdio("qa")
	w.send(lead, "qa", "x", func(in *schemas.SendIn) { in.Deadline = "30m" })
	claim := w.claim(qa)
	w.later(31 * time.Minute)
	_, err := w.Complete(t.Context(), qa, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "late"}, Token: claim.Token})
	refused(t, err, schemas.Stale, "kept as a late result")
	require.Contains(t, w.claim(lead).Brief, `Its result came late. Read it first: get_handoff {"handoff_id":"ho_1","view":"outcome"}`)
}

func TestResultIsFoundByItsTimeAndReadInParts(t *testing.T) {
	w := newWorld(t)
	lead, qa := w.stdio("lead"), w.stdio("qa")
	w.send(lead, "qa", "x")
	w.later(2 * time.Hour)
	w.claim(qa)
	w.complete(qa, 1, func(in *schemas.CompleteIn) { in.Detail = "# Head\na\n# Tail\nb\n" })
	list, err := w.List(t.Context(), lead, schemas.ListIn{Box: "sent", Since: "1h"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	out, err := w.Get(t.Context(), lead, schemas.GetIn{HandoffID: "1", Reference: "outcome/detail#Tail"})
	require.NoError(t, err)
	require.Equal(t, "# Tail\nb\n", out.Content)
	_, err = w.Get(t.Context(), lead, schemas.GetIn{HandoffID: "1", Reference: "detail"})
	refused(t, err, schemas.NotFound, "What came of it is below outcome/, as outcome/detail.")
	w.send(lead, "dev", "y", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", URL: "context://ho_1/outcome/detail"}}}
	})
}

func TestSenderWhoIsTheRecipientIsToldOnce(t *testing.T) {
	w := newWorld(t)
	lead, qa := w.stdio("lead"), w.stdio("qa")
	w.send(lead, "qa", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "sender"} })
	w.claim(qa)
	w.complete(qa, 1)
	w.update(lead, 1, schemas.ActAccept)
	require.Len(t, w.notices(lead), 2, "of the completion and of the review")
}
