package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// brief is what somebody reads who looks at a handoff.
func (w *world) brief(by schemas.Caller, id string) string {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.Get, by, schemas.GetIn{HandoffID: id})
	return out.Brief
}

func TestBriefTellsWhyNobodyMayClaim(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	w.Sends(lead, "dev", "x")
	w.Sends(lead, "dev", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{AfterAccepted: []string{"1"}} })
	w.Sends(lead, "dev", "z", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "2h"} })
	w.Updates(lead, 1, schemas.ActCancel, note("not needed"))
	require.Contains(t, w.brief(lead, "1"), "- It ended as cancelled: not needed\n")
	require.Contains(t, w.brief(lead, "2"), "Nobody may claim it yet: it waits for acceptance of ho_1; ho_1, for which it waits, was cancelled\n")
	require.Contains(t, w.brief(lead, "3"), "Nobody may claim it before "+w.Now().Add(2*time.Hour).UTC().Format(time.RFC3339))
	require.Contains(t, w.Notices(lead)[0].Text, "options.after_accepted of [none]")
	again := w.Updates(lead, 1, schemas.ActRetry).Created
	require.Contains(t, w.brief(lead, again.String()), "ho_1 cancelled: not needed\n")
}

func TestFailedWorkNamesWhatTookItsPlace(t *testing.T) {
	w, lead, qa := newPair(t, "lead", "qa")
	w.Assigns(lead, qa, "x")
	w.Fails(qa, schemas.FailIn{HandoffID: "1", FailureDetail: because("no")})
	require.Equal(t, schemas.ID(2), w.Notices(lead)[0].Successor)
	require.Contains(t, w.brief(lead, "1"), "- It ended as failed: no; ho_2 took its place\n")
	_, err := w.TryUpdate(qa, 1, schemas.ActProgress, note("on it"))
	refused(t, err, schemas.Conflict, "ho_2 took its place, for lead: leave the work to that one.")
}
