package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// refusesUnsent checks that a send is refused and leaves nothing behind.
func (w *world) refusesUnsent(by schemas.Caller, in schemas.SendIn, code schemas.Code, want string) *schemas.Error {
	w.t.Helper()
	out, err := w.Send(context.Background(), by, in)
	require.Zero(w.t, out)
	require.Zero(w.t, w.CountPending("b"))
	return refused(w.t, err, code, want)
}

func TestSend_IgnoresNotBeforeInPast(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	past := func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{NotBefore: w.Now().Add(-time.Hour).Format(time.RFC3339)}
	}
	require.Equal(t, 1, w.Sends(a, "b", "x", past).Position)
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
	w.Sends(a, "b", "y", past)
	w.Updates(a, 2, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "c" })
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
}

func TestAmend_RedirectKeepsDelay(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "1h"} })
	w.Updates(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "c" })
	require.True(t, w.Claims(c).Empty)
	w.Pass(time.Hour)
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, schemas.ID(1), w.Claims(c).HandoffID)
}

func TestSend_DryRunDeliversNothing(t *testing.T) {
	for _, kind := range []string{schemas.TypeMessage, schemas.TypeHandoff} {
		t.Run(kind, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			out := mailboxtest.Must(t, w.Send, a, schemas.SendIn{To: "b", Task: "x", Type: kind, DryRun: true, Key: "k"})
			require.Equal(t, "dry_run", out.Status)
			require.Zero(t, out.NoticeID)
			require.Zero(t, out.HandoffID)
			require.Empty(t, w.Notices(b))
			require.True(t, w.Claims(b).Empty)
			require.NotEqual(t, "dry_run", w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Type, in.Key = kind, "k" }).Status)
		})
	}
}

func TestFail_RefusesRollbackToSystem(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "x", "x", func(in *schemas.SendIn) {
		in.Deadline, in.Rollback = "10m", &schemas.Rollback{OnFailure: "b"}
	})
	w.Pass(time.Hour)
	require.Equal(t, schemas.System, w.Claims(b).From)
	_, err := w.Fail(context.Background(), b, schemas.FailIn{HandoffID: "2", FailureDetail: because("d"), RollbackTo: "system"})
	require.Equal(t, "rollback_to", refused(t, err, schemas.Invalid, "no mailbox").Field)
	require.Equal(t, schemas.Address(schemas.Human), w.Fails(b, schemas.FailIn{HandoffID: "2", FailureDetail: because("d")}).To)
}

func TestSend_RefusesNumberedNameForNewWorkflow(t *testing.T) {
	w, a := newWorldWith(t, "a")
	for _, name := range []string{"wf_7", "7"} {
		e := w.refusesUnsent(a, schemas.SendIn{To: "b", Task: "x", Workflow: name}, schemas.NotFound, "no workflow wf_7")
		require.Equal(t, "workflow", e.Field)
	}
	require.Equal(t, schemas.Workflow("wf_login"), w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Workflow = "login" }).Workflow)
	w.Sends(a, "b", "y")
	require.Equal(t, schemas.Workflow("wf_2"), w.Sends(a, "b", "z", func(in *schemas.SendIn) { in.Workflow = "wf_2" }).Workflow)
}

func TestSend_RefusesMessageWithUnknownParent(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	e := w.refusesUnsent(a, schemas.SendIn{To: "b", Task: "x", Type: schemas.TypeMessage, Parent: "99"}, schemas.NotFound, "no handoff")
	require.Equal(t, "parent", e.Field)
	require.Empty(t, w.Notices(b))
}

func TestSend_AcceptsUnregisteredNameThatHasMail(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "c", "x")
	mailboxtest.Must(t, w.Register, a, schemas.RegisterIn{Name: "b"})
	w.Sends(a, "c", "y")
	mailboxtest.RequireRefusal(t, w.Send, a, schemas.SendIn{To: "d", Task: "z"}, schemas.NotFound, "force it")
	w.Sends(a, "d", "z", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Force: true} })
}
