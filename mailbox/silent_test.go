package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestTheSenderIsToldOnceOfASilentHolder(t *testing.T) {
	over := func(via schemas.Via) func(*world) schemas.Caller {
		return func(w *world) schemas.Caller { return schemas.Caller{Agent: "b", AgentID: "b-1", Via: via} }
	}
	for name, c := range map[string]struct {
		holder   func(*world) schemas.Caller
		estimate string
		quiet    time.Duration // until the sender is told, 0 for never
	}{
		"connected":              {func(w *world) schemas.Caller { return w.stdio("b") }, "", 20 * time.Minute},
		"connected to long work": {func(w *world) schemas.Caller { return w.stdio("b") }, "90m", 135 * time.Minute},
		"over HTTP":              {over(schemas.ViaHTTP), "", 20 * time.Minute},
		"over HTTP to long work": {over(schemas.ViaHTTP), "30m", 45 * time.Minute},
		"a person":               {func(*world) schemas.Caller { return person }, "", 0},
		"the sender":             {func(w *world) schemas.Caller { return w.stdio("a") }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.stdio("a"), c.holder(w)
			id := w.send(a, string(b.Agent), "x", func(in *schemas.SendIn) {
				in.Expectations = &schemas.Expectations{EstimatedDuration: c.estimate}
			}).HandoffID
			w.claim(b)
			w.later(10 * time.Minute)
			w.update(b, id, schemas.ActProgress, note("found the cause"))
			if c.quiet == 0 {
				w.later(25 * time.Minute)
				require.Empty(t, w.notices(a))
				return
			}
			w.later(c.quiet - time.Minute)
			require.Empty(t, w.notices(a))
			w.later(time.Minute)
			told := w.notices(a)
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, "b gives no sign since 20:40 UTC and still holds it. The last report: found the cause")
			require.Equal(t, schemas.Working, w.status(id), "the lease goes on")
			w.update(b, id, schemas.ActProgress)
			w.later(c.quiet)
			require.Len(t, w.notices(a), 1, "once for each claim")
		})
	}
}

func TestAHolderThatReadsIsNotSilent(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id := w.send(a, "b", "x").HandoffID
	w.claim(b)
	w.later(15 * time.Minute)
	must(t, w.Get, b, schemas.GetIn{HandoffID: id.String()})
	w.later(15 * time.Minute)
	require.Empty(t, w.notices(a))
	w.later(5 * time.Minute)
	require.Contains(t, w.notices(a)[0].Text, "It reported nothing.")
	out := must(t, w.Overview, person, schemas.OverviewIn{})
	require.Len(t, out.Stuck.Items, 1, "the overview says so from the same moment on")
	require.Equal(t, schemas.ConcernSilent, out.Stuck.Items[0].Kind)
}
