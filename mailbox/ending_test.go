package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
)

// rows is the history of the workflow of a handoff, by id.
func (w *world) rows(id schemas.ID) map[schemas.ID]schemas.Step {
	w.t.Helper()
	out, err := w.History(context.Background(), person, schemas.HistoryIn{HandoffID: id.String(), Format: "rows"})
	require.NoError(w.t, err)
	rows := map[schemas.ID]schemas.Step{}
	for _, st := range out.Items {
		rows[st.HandoffID] = st
	}
	return rows
}

func TestATimeOutIsTheReasonAndNotTheLastReport(t *testing.T) {
	for name, c := range map[string]struct {
		options  schemas.SendOptions
		deadline string
		reason   string
	}{
		"attempts": {schemas.SendOptions{MaxAttempts: 1}, "", "all attempts ended in silence"},
		"deadline": {schemas.SendOptions{}, "20m", "its deadline passed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.stdio("a"), remote("b", "1")
			w.send(a, "b", "x", func(in *schemas.SendIn) { in.Options, in.Deadline = &c.options, c.deadline })
			claim := w.claim(b)
			w.update(b, 1, schemas.ActProgress, note("half"), func(in *schemas.UpdateIn) { in.Token = claim.Token })
			w.later(24 * time.Hour)
			require.Equal(t, schemas.TimedOut, w.status(1))
			require.Equal(t, c.reason, w.rows(1)[1].Reason)
		})
	}
}

func TestACancelWithoutAReasonHasNone(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), w.stdio("b")
	w.send(a, "b", "x")
	w.claim(b)
	w.update(b, 1, schemas.ActProgress, note("half"))
	w.update(a, 1, schemas.ActCancel)
	require.Empty(t, w.rows(1)[1].Reason)
}

func TestARetryAfterARollbackThatWasNotMadeIsNoRollback(t *testing.T) {
	w := newWorld(t, func(c *mailbox.Config) { c.Limits.Depth = 1 })
	a, b := w.stdio("a"), w.stdio("b")
	w.send(a, "b", "x")
	w.claim(b)
	w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")})
	w.update(a, 1, schemas.ActRetry)
	require.Empty(t, w.rows(1)[1].RollbackTo)
}

func TestARollbackThatWasRetriedStaysARollback(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), w.stdio("b")
	w.send(a, "b", "x")
	w.claim(b)
	w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")})
	w.update(a, 1, schemas.ActRetry)
	require.Equal(t, schemas.Address("a"), w.rows(1)[1].RollbackTo)
}
