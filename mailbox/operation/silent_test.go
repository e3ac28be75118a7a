package operation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestSilentHolder_NotifiesSenderOnce(t *testing.T) {
	over := func(via schemas.Via) func(*mailboxtest.World) schemas.Caller {
		return func(w *mailboxtest.World) schemas.Caller { return schemas.Caller{Agent: "b", AgentID: "b-1", Via: via} }
	}
	for name, c := range map[string]struct {
		holder   func(*mailboxtest.World) schemas.Caller
		estimate string
		quiet    time.Duration // until the sender is notified, 0 for never
	}{
		"connected":              {func(w *mailboxtest.World) schemas.Caller { return w.Stdio("b") }, "", 20 * time.Minute},
		"connected to long work": {func(w *mailboxtest.World) schemas.Caller { return w.Stdio("b") }, "90m", 135 * time.Minute},
		"over HTTP":              {over(schemas.ViaHTTP), "", 20 * time.Minute},
		"over HTTP to long work": {over(schemas.ViaHTTP), "30m", 45 * time.Minute},
		"a mailboxtest.Human":    {func(*mailboxtest.World) schemas.Caller { return mailboxtest.Human }, "", 0},
		"the sender":             {func(w *mailboxtest.World) schemas.Caller { return w.Stdio("a") }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			a, b := w.Stdio("a"), c.holder(w)
			id := w.Sends(a, string(b.Agent), "x", func(in *schemas.SendIn) {
				in.Expectations = &schemas.Expectations{EstimatedDuration: c.estimate}
			}).HandoffID
			w.Claims(b)
			w.Pass(10 * time.Minute)
			w.Updates(b, id, schemas.ActProgress, mailboxtest.WithNote("found the cause"))
			if c.quiet == 0 {
				w.Pass(25 * time.Minute)
				require.Empty(t, w.Notices(a))
				return
			}
			w.Pass(c.quiet - time.Minute)
			require.Empty(t, w.Notices(a))
			w.Pass(time.Minute)
			told := w.Notices(a)
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, "b said nothing of it since 20:40 UTC and still holds it. The last report: found the cause")
			require.Equal(t, schemas.Working, w.Status(id), "the lease goes on")
			w.Updates(b, id, schemas.ActProgress)
			w.Pass(c.quiet)
			require.Len(t, w.Notices(a), 1, "once for each claim")
		})
	}
}

func TestSilentHolder_ReadPostponesNotice(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	id := w.Sends(a, "b", "x").HandoffID
	w.Claims(b)
	w.Pass(15 * time.Minute)
	mailboxtest.Must(t, w.Get, b, schemas.GetIn{HandoffID: id.String()})
	w.Pass(15 * time.Minute)
	require.Empty(t, w.Notices(a))
	w.Pass(5 * time.Minute)
	require.Contains(t, w.Notices(a)[0].Text, "It reported nothing.")
	out := mailboxtest.Must(t, w.Overview, mailboxtest.Human, schemas.OverviewIn{})
	require.Len(t, out.Stuck.Items, 1, "the overview says so from the same moment on")
	require.Equal(t, schemas.ConcernSilent, out.Stuck.Items[0].Kind)
}
