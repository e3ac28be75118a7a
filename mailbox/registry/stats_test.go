package registry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func stats(w *mailboxtest.World) schemas.StatsOut {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.Stats, schemas.Caller{}, schemas.StatsIn{})
}

func TestStats_NamesEveryStateOfEmptyStore(t *testing.T) {
	w := mailboxtest.New(t)
	out := stats(w)
	require.Len(t, out.States, len(schemas.Statuses))
	for _, s := range schemas.Statuses {
		require.Zero(t, out.States[s])
		require.Contains(t, out.States, s)
	}
	require.Equal(t, []schemas.MailboxStats{}, out.Mailboxes)
	require.Equal(t, make([]uint64, len(schemas.LatencyBounds())), out.Commits.Buckets)
	require.Zero(t, out.Event)
}

func TestStats_CountsStatesAndMailboxes(t *testing.T) {
	w, boss, qa := mailboxtest.NewWithTwoAgents(t, "boss", "qa")
	w.Sends(boss, "qa", "first")
	sent := w.Now()
	w.Pass(time.Minute)
	w.Sends(boss, "qa", "second")
	w.Sends(boss, "human", "third")
	w.Sends(boss, "qa", "read me", mailboxtest.Message)
	out := stats(w)
	require.Equal(t, 3, out.States[schemas.Pending])
	require.Equal(t, []schemas.MailboxStats{
		{Box: "qa", Pending: 2, Unread: 1, Oldest: sent.UTC()},
		{Box: "human", Pending: 1, Oldest: w.Now().UTC()},
	}, out.Mailboxes)

	w.Claims(qa)
	out = stats(w)
	require.Equal(t, 2, out.States[schemas.Pending])
	require.Equal(t, 1, out.States[schemas.Accepted])
	require.Equal(t, schemas.MailboxStats{Box: "qa", Pending: 1, Held: 1, Unread: 1, Oldest: w.Now().UTC()}, out.Mailboxes[1])
	require.EqualValues(t, 5, out.Event)
}

// Ended handoffs are counted once a minute, open ones at once.
func TestStats_CountsEndedWorkOnceAMinute(t *testing.T) {
	w, boss, qa := mailboxtest.NewWithTwoAgents(t, "boss", "qa")
	stats(w)
	w.Sends(boss, "qa", "first")
	w.Completes(qa, w.Claims(qa).HandoffID)
	w.Pass(59 * time.Second)
	require.Zero(t, stats(w).States[schemas.Completed])
	require.Zero(t, stats(w).States[schemas.Accepted])
	w.Pass(time.Second)
	require.Equal(t, 1, stats(w).States[schemas.Completed])
	w.Pass(-time.Hour) // the clock is set back
	w.Completes(qa, w.Assigns(boss, qa, "next").HandoffID)
	require.Equal(t, 2, stats(w).States[schemas.Completed])
}

func TestStats_AppliesDueChangesFirst(t *testing.T) {
	w := mailboxtest.New(t)
	w.Sends(w.Stdio("boss"), "qa", "first", func(in *schemas.SendIn) { in.Deadline = "5m" })
	w.Pass(6 * time.Minute)
	out := stats(w)
	require.Equal(t, 1, out.States[schemas.TimedOut])
	require.EqualValues(t, "boss", out.Mailboxes[0].Box, "what was rolled back")
}

func TestStats_ListsFullestMailboxes(t *testing.T) {
	w, boss := mailboxtest.NewWithAgent(t, "boss")
	for i := range 205 {
		w.Sends(boss, fmt.Sprintf("qa%03d", i), "one")
	}
	w.Sends(boss, "zz", "one")
	w.Sends(boss, "zz", "two")
	out := stats(w)
	require.Len(t, out.Mailboxes, 200)
	require.EqualValues(t, "zz", out.Mailboxes[0].Box)
	require.Equal(t, 2, out.Mailboxes[0].Pending)
	require.EqualValues(t, "qa000", out.Mailboxes[1].Box)
}

func TestStats_HasLatencyOfCommits(t *testing.T) {
	w := mailboxtest.New(t, func(c *mailbox.Config) {
		c.Commits = func() schemas.LatencyHistogram { return schemas.LatencyHistogram{Count: 7} }
	})
	require.EqualValues(t, 7, stats(w).Commits.Count)
}
