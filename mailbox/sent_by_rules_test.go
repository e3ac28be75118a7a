package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// newTimedOutWork lets work of a time out unclaimed. The server then sends it back to a, which owns the workflow.
func newTimedOutWork(t testing.TB) (w *world, a schemas.Caller, got schemas.ClaimOut) {
	w = newWorld(t)
	a = w.Stdio("a")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Deadline = "1m" })
	w.Pass(2 * time.Minute)
	got = w.Claims(a)
	require.Equal(t, schemas.System, got.From)
	return w, a, got
}

func TestBrief_OfWorkSentByRulesNamesHuman(t *testing.T) {
	_, _, got := newTimedOutWork(t)
	require.Contains(t, got.Brief, "- Ask human:")
	require.Contains(t, got.Brief, "the work goes to human.")
	require.NotContains(t, got.Brief, "Ask system")
	require.NotContains(t, got.Brief, "goes to system")
	require.NotContains(t, got.Brief, "- Last,")
}

func TestAsk_ByOwnerOfWorkSentByRulesGoesToHuman(t *testing.T) {
	w, a, got := newTimedOutWork(t)
	out := w.Updates(a, got.HandoffID, schemas.ActAsk, note("which?"))
	require.Equal(t, schemas.Address(schemas.Human), out.To)
	require.Equal(t, []string{"question"}, w.NoticeKinds(person, got.HandoffID))
	w.Updates(person, got.HandoffID, schemas.ActAnswer, note("this"))
	require.Contains(t, w.Claims(a).Brief, "this")
}

func TestAsk_ForPermissionSendsHumanSenderOneNotice(t *testing.T) {
	w, b := newWorldWith(t, "b")
	w.Assigns(person, b, "x")
	w.Updates(b, 1, schemas.ActAsk, func(in *schemas.UpdateIn) {
		in.Conditions = &schemas.Conditions{NeedsPermission: []string{"drop the table"}}
	})
	require.Equal(t, []string{"question"}, w.NoticeKinds(person, 1))
}

func TestBrief_OfEscalationDoesNotAdviseSendToHuman(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenEscalate})
	brief := w.Claims(person).Brief
	require.Equal(t, schemas.Address(schemas.Human), out.To)
	require.NotContains(t, brief, "to human.")
	require.Contains(t, brief, "You decide")
}
