package longpoll_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

const keptFor = 3 * time.Second

// looks makes one look of a wait under a request id, and returns the claim, which is zero if the wait is not over.
func looks(w *mailboxtest.World, by schemas.Caller, request string) schemas.ClaimOut {
	w.T.Helper()
	by.Request, by.Poll = request, keptFor
	got, err := w.Claim(context.Background(), by, schemas.ClaimIn{WaitSeconds: 50})
	if err != nil {
		mailboxtest.RequireError(w.T, err, schemas.Unfinished, string(by.Agent)+" waits for mail")
	}
	return got
}

func runPolling(t *testing.T, test func(w *mailboxtest.World, a, first, second schemas.Caller)) {
	mailboxtest.RunInBubble(t, func(_ *testing.T, w *mailboxtest.World) {
		b := w.Stdio("b")
		test(w, w.Stdio("a"), w.OtherSession(b, "first"), w.OtherSession(b, "second"))
	})
}

func TestPoll_KeepsPlaceForItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		pause time.Duration
		end   func(w *mailboxtest.World, first schemas.Caller)
		taker string
	}{
		"before the end of the place": {pause: keptFor - 1, taker: "first"},
		"after it":                    {pause: keptFor, taker: "second"},
		"after the end of the wait": {end: func(w *mailboxtest.World, first schemas.Caller) {
			first.Request = "r1"
			mailboxtest.Must(t, w.EndWait, first, schemas.EndWaitIn{})
		}, taker: "second"},
		"after the end of the connection": {end: func(w *mailboxtest.World, first schemas.Caller) { w.Leaves(first) }, taker: "second"},
	} {
		t.Run(name, func(t *testing.T) {
			runPolling(t, func(w *mailboxtest.World, a, first, second schemas.Caller) {
				require.Zero(t, looks(w, first, "r1"))
				require.Zero(t, looks(w, second, "r2"))
				time.Sleep(c.pause)
				require.Zero(t, looks(w, second, "r2"))
				if c.end != nil {
					c.end(w, first)
				}
				synctest.Wait()
				w.Sends(a, "b", "x")
				require.Equal(t, c.taker == "second", looks(w, second, "r2").HandoffID != 0)
				if c.taker == "first" {
					require.NotZero(t, looks(w, first, "r1").HandoffID)
				}
			})
		})
	}
}

func TestPoll_ClaimsOnce(t *testing.T) {
	runPolling(t, func(w *mailboxtest.World, a, first, second schemas.Caller) {
		w.Sends(a, "b", "x")
		w.Sends(a, "b", "y")
		claim := looks(w, first, "r1")
		require.Equal(t, claim, looks(w, first, "r1"))
		require.Equal(t, schemas.ID(2), looks(w, second, "r2").HandoffID)
	})
}

// runPollingPool sends work to a pool of two agents. The server tells one of them first.
func runPollingPool(t *testing.T, test func(w *mailboxtest.World, told, other schemas.Caller)) {
	mailboxtest.RunInBubble(t, func(_ *testing.T, w *mailboxtest.World) {
		told, other := w.Stdio("a"), w.Stdio("b")
		w.Accepts("review", told, other)
		if sent := w.Sends(mailboxtest.Human, "capability:review", "x"); sent.Routed.Chosen == other.Agent {
			told, other = other, told
		}
		test(w, told, other)
	})
}

// ends are the ways in which a session is lost. The server then presumes after 4 s at most that it does not return.
var ends = map[string]func(w *mailboxtest.World, by schemas.Caller){
	"with its connection": func(w *mailboxtest.World, by schemas.Caller) { w.Leaves(by) },
	"with the owner":      func(w *mailboxtest.World, _ schemas.Caller) { w.Restart() },
}

func TestPoll_GivesUnreadClaimToOthers(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			runPollingPool(t, func(w *mailboxtest.World, told, other schemas.Caller) {
				require.Equal(t, 1, looks(w, told, "r1").Attempt)
				end(w, told)
				time.Sleep(4*time.Second - 1)
				require.Zero(t, looks(w, other, "r2"))
				time.Sleep(time.Nanosecond)
				got := looks(w, other, "r2")
				require.Equal(t, schemas.ID(1), got.HandoffID)
				require.Equal(t, 1, got.Attempt, "it does not count")
			})
		})
	}
}

func TestPoll_LeavesClaimInUse(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			runPollingPool(t, func(w *mailboxtest.World, told, other schemas.Caller) {
				looks(w, told, "r1")
				w.Updates(told, 1, schemas.ActProgress, mailboxtest.WithNote("begun"))
				end(w, told)
				time.Sleep(time.Minute)
				require.Zero(t, looks(w, other, "r2"))
			})
		})
	}
}

func TestPoll_OffersWorkOfLostSessionToPool(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			runPollingPool(t, func(w *mailboxtest.World, told, other schemas.Caller) {
				require.Zero(t, looks(w, other, "r").HandoffID)
				end(w, told)
				time.Sleep(4 * time.Second)
				require.Equal(t, schemas.ID(1), looks(w, other, "r").HandoffID)
			})
		})
	}
}
