package operation_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// sendDueTogether sends many handoffs to c whose time is over in ten minutes.
func sendDueTogether(w *mailboxtest.World, by schemas.Caller, n int) {
	for i := range n {
		w.Sends(by, "c", fmt.Sprint("task ", i), func(in *schemas.SendIn) { in.Deadline, in.Parent = "10m", "none" })
	}
}

func TestDueChanges_AreAppliedByNextRead(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	sendDueTogether(w, a, 600)
	w.Pass(time.Hour)
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	require.Zero(t, w.CountPending("c"))
}

func TestDueChanges_OfOneHandoffAreAppliedTogether(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Pass(25 * time.Minute)                                          // the lease was renewed, the holder silent
	mailboxtest.Must(t, w.Stats, schemas.Caller{}, schemas.StatsIn{}) // any call
	require.NoError(t, w.Store.View(context.Background(), func(v *store.View) error {
		due, err := v.NextDueTime()
		require.True(t, due.After(w.Now()))
		return err
	}))
}

func TestDueChanges_SkipDamagedHandoff(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	a := w.Stdio("a")
	sendDueTogether(w, a, 600)
	mailboxtest.DamageRecord(t, b, 1)
	w.Pass(time.Hour)
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	require.Equal(t, 1, w.CountPending("c"))
}

func TestClaim_SkipsDamagedHandoff(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	w.Sends(sender, "b", "y")
	mailboxtest.DamageRecord(t, b, 1)
	require.Equal(t, schemas.ID(2), w.Claims(coder).HandoffID)
}

func TestClaim_ReclaimsHandoffDespiteOtherDamagedHandoff(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	w.Sends(sender, "b", "y")
	w.Claims(coder)
	w.Claims(coder)
	mailboxtest.DamageRecord(t, b, 1)
	require.Equal(t, []schemas.ID{2}, w.Leaves(coder).Holding)
	require.Equal(t, schemas.ID(2), w.Claims(w.OtherSession(coder, "again")).HandoffID)
}

// sendManyDue makes more handoffs due than one operation applies.
func sendManyDue(w *mailboxtest.World) (a, b schemas.Caller) {
	a, b = w.Stdio("a"), w.Stdio("b")
	sendDueTogether(w, a, 300)
	return a, b
}

func withDeadline(in *schemas.SendIn) { in.Deadline, in.Parent = "11m", "none" }

func TestClaim_SkipsOverdueHandoff(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := sendManyDue(w)
	w.Sends(a, "b", "late", withDeadline)
	w.Pass(time.Hour)
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, schemas.TimedOut, w.Status(301))
}

func TestClaim_DoesNotReclaimOverdueHandoff(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := sendManyDue(w)
	w.Assigns(a, b, "late", withDeadline)
	w.Updates(b, 301, schemas.ActProgress)
	w.Pass(9 * time.Minute)
	w.Leaves(b)
	w.Pass(time.Hour)
	require.True(t, w.Claims(w.OtherSession(b, "again")).Empty)
	require.Equal(t, schemas.TimedOut, w.Status(301))
}

func TestClaim_SkipsHandoffOfLeftPoolAfterReservation(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := sendManyDue(w)
	w.Accepts("review", b)
	w.Sends(a, "capability:review", "x", mailboxtest.NoParent)
	w.Claims(b)
	w.Updates(b, 301, schemas.ActAsk, mailboxtest.WithNote("which?"))
	w.Updates(a, 301, schemas.ActAnswer, mailboxtest.WithNote("this"))
	w.Accepts("design", b) // and no longer review
	w.Pass(time.Hour)
	require.True(t, w.Claims(b).Empty)
}

func TestActions_AreRefusedOnOverdueHandoff(t *testing.T) {
	for name, do := range map[string]func(w *mailboxtest.World, a, b schemas.Caller) error{
		"complete": func(w *mailboxtest.World, _, b schemas.Caller) error {
			_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "301", Result: schemas.Result{Summary: "s"}})
			return err
		},
		"fail": func(w *mailboxtest.World, _, b schemas.Caller) error {
			_, err := w.Fail(context.Background(), b, schemas.FailIn{HandoffID: "301", FailureDetail: mailboxtest.FailureBecause("d")})
			return err
		},
		"progress": func(w *mailboxtest.World, _, b schemas.Caller) error {
			_, err := w.TryUpdate(b, 301, schemas.ActProgress)
			return err
		},
		"cancel": func(w *mailboxtest.World, a, _ schemas.Caller) error {
			_, err := w.TryUpdate(a, 301, schemas.ActCancel)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			a, b := sendManyDue(w)
			w.Assigns(a, b, "late", withDeadline)
			w.Pass(time.Hour)
			require.Error(t, do(w, a, b))
			require.Equal(t, schemas.TimedOut, w.Status(301))
		})
	}
}

func TestFail_LetsOverduePartTimeOut(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := sendManyDue(w)
	w.Assigns(a, b, "work", mailboxtest.NoParent)
	w.Sends(b, "d", "a part", func(in *schemas.SendIn) { in.Deadline = "11m" })
	w.Pass(time.Hour)
	w.Fails(b, schemas.FailIn{HandoffID: "301", FailureDetail: mailboxtest.FailureBecause("d")})
	require.Equal(t, schemas.TimedOut, w.Status(302))
}

func TestClaim_FindsDelayedHandoffAmongMany(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	for i := range 1001 { // more than one transaction scans
		w.Sends(a, "b", fmt.Sprint("task ", i))
	}
	tagged := func(in *schemas.SendIn) { in.Tags = []string{"go"} }
	w.Sends(a, "b", "late", withDeadline, tagged)
	delayed := w.Sends(a, "b", "delayed", tagged, func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "30m"} })
	w.Pass(time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := w.Claim(ctx, b, schemas.ClaimIn{Tags: []string{"go"}})
	require.NoError(t, err)
	require.Equal(t, delayed.HandoffID, out.HandoffID)
	out, err = w.Claim(ctx, b, schemas.ClaimIn{Tags: []string{"go"}})
	require.NoError(t, err)
	require.True(t, out.Empty)
}

func TestFail_SucceedsWithDamagedPart(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	w.Claims(coder)
	w.Sends(coder, "c", "a part")
	w.Sends(sender, "d", "afterwards", mailboxtest.NoParent, mailboxtest.After("1"))
	mailboxtest.DamageRecord(t, b, 2)
	mailboxtest.DamageRecord(t, b, 3)
	w.Fails(coder, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d"), Then: schemas.ThenRollback})
	require.Equal(t, schemas.Failed, w.Status(1))
}

// fullDisk is a disk that refuses writes while why is set.
type fullDisk struct {
	store.Backend
	why error
}

func (b *fullDisk) Update(ctx context.Context, fn func(store.Writer) error) error {
	if b.why != nil {
		return b.why
	}
	return b.Backend.Update(ctx, fn)
}

func TestReads_SucceedIfDueChangesCannotBeWritten(t *testing.T) {
	b := &fullDisk{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Claims(coder)
	w.Pass(time.Hour)
	b.why = store.ErrFull
	require.Equal(t, schemas.Accepted, w.Status(1))
	out := mailboxtest.Must(t, w.List, coder, schemas.ListIn{Box: "claimed"})
	require.Len(t, out.Items, 1)
	mailboxtest.Must(t, w.History, sender, schemas.HistoryIn{HandoffID: "1"})
	b.why = nil
	require.Equal(t, schemas.TimedOut, w.Status(1))
}

// Two handoffs are due. The consequences of the first may visit the second and apply its change. Then the clock must
// not apply that change again.
func TestDueChanges_AreAppliedOnce(t *testing.T) {
	var logged strings.Builder
	w := mailboxtest.New(t, func(c *mailbox.Config) { c.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
	a := w.Stdio("a")
	w.Sends(a, "b", "first", func(in *schemas.SendIn) { in.Deadline = "1s" })
	w.Sends(a, "b", "delayed", func(in *schemas.SendIn) {
		in.Parent, in.Options = "none", &schemas.SendOptions{After: []string{"1"}, NotBefore: "1s"}
	})
	w.Sends(a, "b", "ended", mailboxtest.NoParent, mailboxtest.After("1"), func(in *schemas.SendIn) { in.Deadline = "1s" })
	w.Pass(2 * time.Second)
	mailboxtest.Must(t, w.List, a, schemas.ListIn{})
	require.Empty(t, logged.String())
	for id, want := range map[string][]string{"2": {"sent", "ready"}, "3": {"sent", "timed_out", "rolled_back"}} {
		out := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: id, View: "events"})
		var actions []string
		for _, e := range out.Events {
			actions = append(actions, e.Action)
		}
		require.Equal(t, want, actions, id)
	}
}

// A failing disk is no fault of this program. The error says whether the store has kept the handoff.
func TestSend_ErrorSaysWhetherHandoffWasStored(t *testing.T) {
	for cause, says := range map[error]string{store.ErrUnwritten: "nothing was changed", store.ErrUncertain: "not known"} {
		b := &fullDisk{Backend: memory.New()}
		w := mailboxtest.New(t, mailboxtest.InBackend(b))
		a := w.Stdio("a")
		b.why = cause
		_, err := w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "x"})
		b.why = nil
		e := mailboxtest.RequireError(t, err, schemas.Unavailable, says)
		require.Contains(t, e.Hint, "Nothing acknowledged was lost")
	}
}

// failingReadBackend is a backend that fails one read within a transaction.
type failingReadBackend struct {
	store.Backend
	left int // reads until then
}

type failingReadWriter struct {
	store.Writer
	of *failingReadBackend
}

func (b *failingReadBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	return b.Backend.Update(ctx, func(w store.Writer) error { return fn(failingReadWriter{w, b}) })
}

func (r failingReadWriter) Get(s store.Space, key []byte) ([]byte, error) {
	if r.of.left--; r.of.left == 0 {
		return nil, store.ErrUnwritten
	}
	return r.Writer.Get(s, key)
}

func TestSend_IsUnavailableIfStoreCannotBeRead(t *testing.T) {
	b := &failingReadBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	in := schemas.SendIn{To: "b", Task: "x", Options: &schemas.SendOptions{Each: []string{"y"}, Join: &schemas.Join{To: "b", Task: "z"}}}
	a, refusals := w.Stdio("a"), 0
	for read := 1; b.left <= 0; read++ {
		b.left = read
		if _, err := w.Send(context.Background(), a, in); err != nil {
			mailboxtest.RequireError(t, err, schemas.Unavailable, "")
			refusals++
		}
	}
	require.Greater(t, refusals, 10)
}

// withTickingClock makes the clock advance with each read of it.
func withTickingClock(step *time.Duration) func(*mailbox.Config) {
	return func(c *mailbox.Config) {
		now, passed := c.Now, time.Duration(0)
		c.Now = func() time.Time { passed += *step; return now().Add(passed) }
	}
}

func TestApplyDueChanges_StopsAfterTimeLimit(t *testing.T) {
	step := time.Millisecond
	w := mailboxtest.New(t, withTickingClock(&step))
	for range 1_100 {
		w.Sends(schemas.Caller{Agent: "me"}, "q", "x", func(in *schemas.SendIn) { in.Deadline = "2h" })
	}
	w.Pass(3 * time.Hour)
	var told []string
	for more := true; more; {
		out := mailboxtest.Must(t, w.History, mailboxtest.Human, schemas.HistoryIn{})
		told, more = append(told, out.Warnings...), len(out.Warnings) > 0
	}
	require.Regexp(t, `^time has more to do, for \d+ handoffs or more: the next call goes on$`, told[0])
}
