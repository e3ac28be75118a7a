package mailbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func (w *world) stats() schemas.StatsOut {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.Stats, schemas.Caller{}, schemas.StatsIn{})
	return out
}

func TestStatsOfNothingNameEveryState(t *testing.T) {
	w := newWorld(t)
	out := w.stats()
	require.Len(t, out.States, len(schemas.Statuses))
	for _, s := range schemas.Statuses {
		require.Zero(t, out.States[s])
		require.Contains(t, out.States, s)
	}
	require.Equal(t, []schemas.MailboxStats{}, out.Mailboxes)
	require.Equal(t, make([]uint64, len(schemas.LatencyBounds())), out.Commits.Buckets)
	require.Zero(t, out.Event)
}

func TestStatsCountStatesAndMailboxes(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	w.Sends(boss, "qa", "first")
	sent := w.Now()
	w.Pass(time.Minute)
	w.Sends(boss, "qa", "second")
	w.Sends(boss, "human", "third")
	w.Sends(boss, "qa", "read me", mailboxtest.Message)
	out := w.stats()
	require.Equal(t, 3, out.States[schemas.Pending])
	require.Equal(t, []schemas.MailboxStats{
		{Box: "qa", Pending: 2, Unread: 1, Oldest: sent.UTC()},
		{Box: "human", Pending: 1, Oldest: w.Now().UTC()},
	}, out.Mailboxes)

	w.Claims(qa)
	out = w.stats()
	require.Equal(t, 2, out.States[schemas.Pending])
	require.Equal(t, 1, out.States[schemas.Accepted])
	require.Equal(t, schemas.MailboxStats{Box: "qa", Pending: 1, Held: 1, Unread: 1, Oldest: w.Now().UTC()}, out.Mailboxes[1])
	require.EqualValues(t, 5, out.Event)
}

// What has ended is counted once a minute, what is open at once.
func TestStatsCountWhatEndedOnceAMinute(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	w.stats()
	w.Sends(boss, "qa", "first")
	w.Completes(qa, w.Claims(qa).HandoffID)
	w.Pass(59 * time.Second)
	require.Zero(t, w.stats().States[schemas.Completed])
	require.Zero(t, w.stats().States[schemas.Accepted])
	w.Pass(time.Second)
	require.Equal(t, 1, w.stats().States[schemas.Completed])
	w.Pass(-time.Hour) // the clock is set back
	w.Completes(qa, w.claimed(boss, qa))
	require.Equal(t, 2, w.stats().States[schemas.Completed])
}

// claimed sends one and claims it.
func (w *world) claimed(from, by schemas.Caller) schemas.ID {
	w.t.Helper()
	w.Sends(from, string(by.Agent), "next")
	return w.Claims(by).HandoffID
}

func TestStatsApplyTimeFirst(t *testing.T) {
	w := newWorld(t)
	w.Sends(w.Stdio("boss"), "qa", "first", func(in *schemas.SendIn) { in.Deadline = "5m" })
	w.Pass(6 * time.Minute)
	out := w.stats()
	require.Equal(t, 1, out.States[schemas.TimedOut])
	require.EqualValues(t, "boss", out.Mailboxes[0].Box, "what was rolled back")
}

func TestStatsTellOfTheFullestMailboxes(t *testing.T) {
	w, boss := newWorldWith(t, "boss")
	for i := range 205 {
		w.Sends(boss, fmt.Sprintf("qa%03d", i), "one")
	}
	w.Sends(boss, "zz", "one")
	w.Sends(boss, "zz", "two")
	out := w.stats()
	require.Len(t, out.Mailboxes, 200)
	require.EqualValues(t, "zz", out.Mailboxes[0].Box)
	require.Equal(t, 2, out.Mailboxes[0].Pending)
	require.EqualValues(t, "qa000", out.Mailboxes[1].Box)
}

func TestStatsCarryTheCommits(t *testing.T) {
	w := newWorld(t, func(c *mailbox.Config) {
		c.Commits = func() schemas.Latency { return schemas.Latency{Count: 7} }
	})
	require.EqualValues(t, 7, w.stats().Commits.Count)
}
