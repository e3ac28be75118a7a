package longpoll_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/longpoll"
	"handoff/schemas"
)

// Tests of the mailbox cover its calls. The tests here cover the time between two steps of a waiter.

func addresses(names ...schemas.Address) []schemas.Address { return names }

func newWaiter(h *longpoll.Hub) *longpoll.Waiter { return h.NewWaiter(time.Time{}, time.Time{}) }

func TestJoinLists_OfNewMailboxesUsesNoPermit(t *testing.T) {
	h := longpoll.NewHub()
	w := newWaiter(h)
	require.True(t, w.JoinLists(addresses("b")))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b")})
	require.True(t, w.JoinLists(addresses("b", "c")))
	require.Empty(t, w.PermitsInUse())
	<-w.WakeSignal() // so that it looks for the permit too
	require.True(t, w.JoinLists(addresses("b", "c")))
	require.Equal(t, addresses("b"), w.PermitsInUse())
}

func TestJoinLists_PassesOnPermitsOfLeftMailboxes(t *testing.T) {
	h := longpoll.NewHub()
	first, second := newWaiter(h), newWaiter(h)
	first.JoinLists(addresses("b", "c"))
	second.JoinLists(addresses("b", "c"))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b", "c")})
	first.JoinLists(addresses("c"))
	require.True(t, first.JoinLists(addresses("c")))
	require.Equal(t, addresses("c"), first.PermitsInUse())
	require.True(t, second.JoinLists(addresses("b", "c")))
	require.Equal(t, addresses("b"), second.PermitsInUse())
}

func TestAnnounce_GivesPermitToLongestWaiter(t *testing.T) {
	h := longpoll.NewHub()
	began := time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)
	late, early := h.NewWaiter(began.Add(time.Second), time.Time{}), h.NewWaiter(began, time.Time{})
	late.JoinLists(addresses("b"))
	early.JoinLists(addresses("b"))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b")})
	require.False(t, late.JoinLists(addresses("b")))
	require.True(t, early.JoinLists(addresses("b")))
}

func TestPassOnPermits_GivesPermitsOnlyForRemainingMail(t *testing.T) {
	h := longpoll.NewHub()
	first, second := newWaiter(h), newWaiter(h)
	first.JoinLists(addresses("b", "c"))
	second.JoinLists(addresses("b", "c"))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b", "c")})
	require.True(t, first.JoinLists(addresses("b", "c")))
	first.PassOnPermits(addresses("c"))
	require.Empty(t, first.PermitsInUse())
	require.True(t, second.JoinLists(addresses("b", "c")))
	require.Equal(t, addresses("c"), second.PermitsInUse())
}

func TestLeave_PassesOnUnspentPermits(t *testing.T) {
	h := longpoll.NewHub()
	first, second := newWaiter(h), newWaiter(h)
	first.JoinLists(addresses("b", "c", "d"))
	second.JoinLists(addresses("b", "c", "d"))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b", "c")})
	require.True(t, first.JoinLists(addresses("b", "c", "d")))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("d")})
	first.SpendPermit("b")
	first.EndWait()
	require.True(t, second.JoinLists(addresses("b", "c", "d")))
	require.Equal(t, addresses("c", "d"), second.PermitsInUse())
}

func TestLeave_FreesWaiter(t *testing.T) {
	h := longpoll.NewHub()
	w := newWaiter(h)
	w.JoinLists(addresses("b", "c"))
	h.Announce(longpoll.OperationEffects{Boxes: addresses("b")})
	w.EndWait()
	require.Zero(t, h.CountWaiters())
	left := weak.Make(w)
	w = nil
	runtime.GC()
	require.Nil(t, left.Value())
	runtime.KeepAlive(h)
}

func TestWaitPeriod_OfRepeatKeepsBeginningAndEnd(t *testing.T) {
	now := time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)
	began, ends := now.Add(-10*time.Second), now.Add(20*time.Second)
	for name, c := range map[string]struct {
		by           schemas.Caller
		since, until time.Time
	}{
		"a new wait":                     {schemas.Caller{}, now, now.Add(time.Minute)},
		"a repeated wait":                {schemas.Caller{Since: began, Until: ends}, began, ends},
		"a wait with a beginning only":   {schemas.Caller{Since: began}, began, now.Add(50 * time.Second)},
		"a wait that is over":            {schemas.Caller{Since: began, Until: began}, began, now},
		"a wait with a future beginning": {schemas.Caller{Since: ends}, now, now.Add(time.Minute)},
		"a wait with a late end":         {schemas.Caller{Until: now.Add(time.Hour)}, now, now.Add(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			since, until := longpoll.WaitPeriod(c.by, 60, now)
			require.Equal(t, c.since, since)
			require.Equal(t, c.until, until)
		})
	}
}
