package operation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// sleepingWorld is a world on a machine that may sleep.
type sleepingWorld struct {
	*mailboxtest.World
	awake time.Duration
}

func newSleepingWorld(t testing.TB) *sleepingWorld {
	s := &sleepingWorld{}
	s.World = mailboxtest.New(t, func(c *mailbox.Config) { c.Awake = func() time.Duration { return s.awake } })
	return s
}

// passAwake lets time pass while the machine is awake and calls come.
func (s *sleepingWorld) passAwake(d time.Duration) {
	s.awake += d
	s.Pass(d)
	mailboxtest.Must(s.T, s.Agents, mailboxtest.Human, schemas.AgentsIn{})
}

// passAsleep lets time pass while the machine sleeps, or sets the clock.
func (s *sleepingWorld) passAsleep(d time.Duration) { s.Pass(d) }

// recordedSleep returns how long the machine slept according to the last event of an action.
func (s *sleepingWorld) recordedSleep(id schemas.ID, action string) time.Duration {
	s.T.Helper()
	out := mailboxtest.Must(s.T, s.Get, mailboxtest.Human, schemas.GetIn{HandoffID: id.String(), View: "audit"})
	for _, e := range slices.Backward(out.Audit) {
		if e.Action == action {
			return time.Duration(e.Asleep) * time.Second
		}
	}
	s.T.Fatalf("there is no event %q", action)
	return 0
}

func TestMachineSleep_ExtendsLease(t *testing.T) {
	s := newSleepingWorld(t)
	s.Sends(mailboxtest.Human, "b", "x")
	s.Claims(mailboxtest.RemoteCaller("b", "1")) // for 30 minutes
	s.passAwake(10 * time.Minute)
	s.passAsleep(8 * time.Hour)
	require.Equal(t, schemas.Accepted, s.Status(1))
	require.Equal(t, 8*time.Hour, s.recordedSleep(1, "renewed"))
	s.passAwake(19 * time.Minute)
	require.Equal(t, schemas.Accepted, s.Status(1))
	s.passAwake(2 * time.Minute)
	require.Equal(t, schemas.Pending, s.Status(1))
	require.Zero(t, s.recordedSleep(1, "lease_ended"), "nobody slept since it was renewed")
}

func TestMachineSleep_KeepsClaimOfOpenConnection(t *testing.T) {
	s := newSleepingWorld(t)
	a, b := s.Stdio("a"), s.Stdio("b")
	s.Sends(a, "b", "x")
	s.Claims(b) // for 2 hours of silence
	for range 23 {
		s.passAwake(5 * time.Minute)
		s.passAsleep(5 * time.Hour)
		require.Equal(t, schemas.Accepted, s.Status(1))
	}
	s.passAwake(6 * time.Minute)
	require.Equal(t, schemas.Pending, s.Status(1))
}

func TestMachineSleep_ExtendsTimeToReconnect(t *testing.T) {
	for name, c := range map[string]struct {
		awake time.Duration // after it left, before the sleep
		back  time.Duration // after the sleep
		want  bool
	}{
		"with what was left of the grace":   {30 * time.Second, 85 * time.Second, true},
		"with the grace at least":           {119 * time.Second, 115 * time.Second, true},
		"but not for longer than the grace": {time.Second, 121 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSleepingWorld(t)
			a, b := s.Stdio("a"), s.Stdio("b")
			s.Assigns(a, b, "x")
			s.Leaves(b)
			s.passAwake(c.awake)
			s.passAsleep(3 * time.Hour)
			s.passAwake(0)
			s.passAwake(c.back)
			require.Equal(t, c.want, s.Status(1) == schemas.Accepted)
		})
	}
}

func TestMachineSleep_DoesNotUseUpTimeToReconnectAfterRestart(t *testing.T) {
	s := newSleepingWorld(t)
	a, b := s.Stdio("a"), s.Stdio("b")
	s.Assigns(a, b, "x")
	s.Restart()
	other := s.OtherSession(b, "other")
	s.passAwake(time.Minute)
	s.passAsleep(time.Hour)
	require.True(t, s.Claims(other).Empty)
	s.passAwake(time.Minute + time.Second)
	require.Equal(t, schemas.ID(1), s.Claims(other).HandoffID)
}

func TestMachineSleep_ExtendsReservation(t *testing.T) {
	s := newSleepingWorld(t)
	a, b := s.Stdio("a"), s.Stdio("b")
	other := s.Stdio("c")
	s.Accepts("review", b, other)
	s.Sends(a, "capability:review", "x")
	s.Claims(b)
	s.Updates(b, 1, schemas.ActAsk, mailboxtest.WithNote("which?"))
	s.Updates(a, 1, schemas.ActAnswer, mailboxtest.WithNote("this"))
	s.passAwake(5 * time.Minute)
	s.passAsleep(9 * time.Hour)
	require.True(t, s.Claims(other).Empty)
	require.Equal(t, 9*time.Hour, s.recordedSleep(1, "renewed"))
	s.passAwake(9 * time.Minute)
	require.True(t, s.Claims(other).Empty)
	s.passAwake(2 * time.Minute)
	require.Equal(t, schemas.ID(1), s.Claims(other).HandoffID)
}

func TestMachineSleep_DoesNotExtendDeadline(t *testing.T) {
	s := newSleepingWorld(t)
	a, b := s.Stdio("a"), s.Stdio("b")
	s.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Deadline = "2h" })
	s.passAwake(time.Minute)
	s.passAsleep(3 * time.Hour)
	require.Equal(t, schemas.TimedOut, s.Status(1))
	require.Equal(t, 3*time.Hour, s.recordedSleep(1, "timed_out"))
}

func TestMachineSleep_OfOneMinuteDoesNotExtendLease(t *testing.T) {
	s := newSleepingWorld(t)
	s.Sends(mailboxtest.Human, "b", "x")
	s.Claims(mailboxtest.RemoteCaller("b", "1"))
	for range 40 {
		s.passAwake(time.Second)
		s.passAsleep(time.Minute)
	}
	require.Equal(t, schemas.Pending, s.Status(1))
}

// The first call after a long time cannot know when in it the machine slept.
func TestMachineSleep_KeepsClaimWithEndedLeaseForTwoMinutes(t *testing.T) {
	s := newSleepingWorld(t)
	s.Sends(mailboxtest.Human, "b", "x")
	s.Claims(mailboxtest.RemoteCaller("b", "1"))
	s.awake += 3 * time.Hour
	s.passAsleep(4 * time.Hour)
	require.Equal(t, schemas.Accepted, s.Status(1))
	s.passAwake(time.Minute)
	require.Equal(t, schemas.Accepted, s.Status(1))
	s.passAwake(time.Minute)
	require.Equal(t, schemas.Pending, s.Status(1))
}

func TestClockSetBack_KeepsLease(t *testing.T) {
	s := newSleepingWorld(t)
	a, b := s.Stdio("a"), s.Stdio("b")
	s.Assigns(a, b, "x")
	s.passAsleep(-5 * time.Hour)
	s.passAwake(10 * time.Minute)
	require.Equal(t, schemas.Accepted, s.Status(1))
	s.Updates(b, 1, schemas.ActProgress)
	s.Sends(a, "b", "y")
	s.passAwake(10 * time.Minute)
	s.Claims(b)
	s.Completes(b, 1)
	s.Completes(b, 2)
}

func TestClockSetForwardAndBack_DoesNotCountAsSleep(t *testing.T) {
	s := newSleepingWorld(t)
	s.passAsleep(1000 * time.Hour)
	s.passAwake(time.Minute)
	s.passAsleep(-1000 * time.Hour)
	s.passAwake(time.Minute)
	s.Sends(mailboxtest.Human, "b", "x")
	s.Claims(mailboxtest.RemoteCaller("b", "1"))
	s.passAwake(31 * time.Minute)
	require.Equal(t, schemas.Pending, s.Status(1))
	require.Zero(t, s.recordedSleep(1, "lease_ended"))
}
