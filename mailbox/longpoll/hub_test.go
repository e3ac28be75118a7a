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

func boxes(names ...schemas.Address) []schemas.Address { return names }

func arrive(h *longpoll.Hub) *longpoll.Waiter { return h.Arrive(time.Time{}, time.Time{}) }

func TestJoin_OfNewMailboxesUsesNoPermit(t *testing.T) {
	h := longpoll.NewHub()
	w := arrive(h)
	require.True(t, w.Join(boxes("b")))
	h.Announce(longpoll.Effects{Boxes: boxes("b")})
	require.True(t, w.Join(boxes("b", "c")))
	require.Empty(t, w.InUse())
	<-w.Woken() // so that it looks for the permit too
	require.True(t, w.Join(boxes("b", "c")))
	require.Equal(t, boxes("b"), w.InUse())
}

func TestJoin_PassesOnPermitsOfLeftMailboxes(t *testing.T) {
	h := longpoll.NewHub()
	first, second := arrive(h), arrive(h)
	first.Join(boxes("b", "c"))
	second.Join(boxes("b", "c"))
	h.Announce(longpoll.Effects{Boxes: boxes("b", "c")})
	first.Join(boxes("c"))
	require.True(t, first.Join(boxes("c")))
	require.Equal(t, boxes("c"), first.InUse())
	require.True(t, second.Join(boxes("b", "c")))
	require.Equal(t, boxes("b"), second.InUse())
}

func TestAnnounce_GivesPermitToLongestWaiter(t *testing.T) {
	h := longpoll.NewHub()
	began := time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)
	late, early := h.Arrive(began.Add(time.Second), time.Time{}), h.Arrive(began, time.Time{})
	late.Join(boxes("b"))
	early.Join(boxes("b"))
	h.Announce(longpoll.Effects{Boxes: boxes("b")})
	require.False(t, late.Join(boxes("b")))
	require.True(t, early.Join(boxes("b")))
}

func TestPassOn_GivesPermitsOnlyForRemainingMail(t *testing.T) {
	h := longpoll.NewHub()
	first, second := arrive(h), arrive(h)
	first.Join(boxes("b", "c"))
	second.Join(boxes("b", "c"))
	h.Announce(longpoll.Effects{Boxes: boxes("b", "c")})
	require.True(t, first.Join(boxes("b", "c")))
	first.PassOn(boxes("c"))
	require.Empty(t, first.InUse())
	require.True(t, second.Join(boxes("b", "c")))
	require.Equal(t, boxes("c"), second.InUse())
}

func TestLeave_PassesOnUnspentPermits(t *testing.T) {
	h := longpoll.NewHub()
	first, second := arrive(h), arrive(h)
	first.Join(boxes("b", "c", "d"))
	second.Join(boxes("b", "c", "d"))
	h.Announce(longpoll.Effects{Boxes: boxes("b", "c")})
	require.True(t, first.Join(boxes("b", "c", "d")))
	h.Announce(longpoll.Effects{Boxes: boxes("d")})
	first.Spend("b")
	first.Leave()
	require.True(t, second.Join(boxes("b", "c", "d")))
	require.Equal(t, boxes("c", "d"), second.InUse())
}

func TestLeave_FreesWaiter(t *testing.T) {
	h := longpoll.NewHub()
	w := arrive(h)
	w.Join(boxes("b", "c"))
	h.Announce(longpoll.Effects{Boxes: boxes("b")})
	w.Leave()
	require.Zero(t, h.Size())
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
