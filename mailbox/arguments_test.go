package mailbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// A caller believes that an accepted argument has an effect.
func TestUpdate_RefusesArgumentsThatActionDoesNotUse(t *testing.T) {
	w, a, qa := newPair(t, "a", "qa")
	id := w.Sends(a, "qa", "x").HandoffID
	w.Claims(qa)
	checkpoint := &schemas.Changes{Checkpoint: &schemas.Checkpoint{Note: "half"}}
	task := &schemas.Changes{Task: "y"}
	for _, tt := range []struct {
		action schemas.Action
		with   func(*schemas.UpdateIn)
		says   string
	}{
		{schemas.ActProgress, mailboxtest.WithQuestions("which?"), "Ask with the action ask"},
		{schemas.ActProgress, func(in *schemas.UpdateIn) { in.Changes = task }, "its sender may"},
		{schemas.ActRelease, func(in *schemas.UpdateIn) { in.Changes = task }, "its sender may"},
		{schemas.ActRelease, func(in *schemas.UpdateIn) { in.Percent = 5 }, "Report it with progress"},
		{schemas.ActAnswer, func(in *schemas.UpdateIn) { in.Changes = checkpoint }, "keep a checkpoint"},
		{schemas.ActCancel, func(in *schemas.UpdateIn) { in.To = "b" }, "have a new recipient"},
		{schemas.ActAccept, func(in *schemas.UpdateIn) { in.Conditions = &schemas.Conditions{} }, "Ask with the action ask"},
	} {
		w.RefusesUpdate(qa, id, tt.action, schemas.Invalid, tt.says, note("n"), tt.with)
	}
	require.Equal(t, schemas.Accepted, w.Status(id))
}

func TestUpdate_StoresCheckpointGivenWithAskOrRelease(t *testing.T) {
	w, a, qa := newPair(t, "a", "qa")
	id := w.Sends(a, "qa", "x").HandoffID
	at := func(text string) func(*schemas.UpdateIn) {
		return func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Checkpoint: &schemas.Checkpoint{Note: text}} }
	}
	kept := func() string {
		return mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: id.String(), View: "checkpoint"}).Checkpoint.Note
	}
	w.Claims(qa)
	require.NotEmpty(t, w.Updates(qa, id, schemas.ActAsk, note("which?"), at("half")).Checkpoint)
	require.Equal(t, "half", kept())
	w.Updates(a, id, schemas.ActAnswer, note("this"))
	w.Claims(qa)
	w.Updates(qa, id, schemas.ActRelease, at("most"))
	require.Equal(t, "most", kept())
}

// An answer with changes is one call. An amendment alone leaves the question open, and says so.
func TestAnswer_AmendsHandoffWithGivenChanges(t *testing.T) {
	w, a, qa := newPair(t, "a", "qa")
	id := w.Sends(a, "qa", "x").HandoffID
	w.Claims(qa)
	w.Updates(qa, id, schemas.ActAsk, note("which?"))
	task := func(text string) func(*schemas.UpdateIn) {
		return func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Task: text} }
	}
	amended := w.Updates(a, id, schemas.ActAmend, note("that one"), task("y"))
	require.Contains(t, strings.Join(amended.Warnings, " "), "qa still waits for an answer")
	require.Equal(t, schemas.Waiting, w.Status(id))
	answered := w.Updates(a, id, schemas.ActAnswer, note("this"), task("z"))
	require.Contains(t, answered.Changed, "task")
	require.Equal(t, schemas.Pending, w.Status(id))
	require.Equal(t, "z", w.FullView(id).Handoff.Task)
	require.Contains(t, w.Claims(qa).Brief, "z")
	w.CheckIntact()
}

func TestSend_ToPoolWithoutMemberSuggestsSimilarPool(t *testing.T) {
	w, a := newWorldWith(t, "a")
	mailboxtest.Must(t, w.Register, w.Stdio("rev"), schemas.RegisterIn{Name: "rev", Accepts: []string{"security-review", "*"}, Role: "reviewer"})
	for to, near := range map[string]string{
		"capability:security_review": "rev takes capability:security-review", "capability:securityreviews": "rev takes capability:security-review",
		"role:Reviewers": "rev takes role:reviewer", "capability:code": "",
	} {
		warnings := strings.Join(w.Sends(a, to, "x", mailboxtest.NoParent).Warnings, " ")
		require.Contains(t, warnings, near)
		require.Equal(t, near == "", !strings.Contains(warnings, "; rev takes "), warnings)
	}
}
