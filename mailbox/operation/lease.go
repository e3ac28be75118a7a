package operation

import (
	"time"

	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// How long a claim lasts, and whether its holder is still there.
//
// A claim has one of three proofs that its holder is still there. Over a connection it is the connection: the lease is
// short, and is renewed by itself while the connection is open. Over HTTP there is none, so the lease is long and each
// call that names the handoff renews it. On the command line it is the person, who is treated as a caller without a
// connection.
//
// Truth needs no sweeper: a lease is over because the time is past it, and whoever notices asks [LeasesAt.RenewedUntil] whether
// the claim goes on all the same. Nothing here writes to the store: the rules of the mailbox apply what is judged, each change
// as an event.
//
// No timer renews a lease, so a model that works for 40 minutes costs no write while nobody looks. Only memory knows
// which connections are open. A process that takes the store over therefore gives each connection that it does not
// know two minutes to show itself: a killed server could not say that it left, and its client may start another one
// at once.
//
// When the clock ran more than a minute ahead of the time that the machine was awake, leases and reservations go on
// for as long as the machine slept, and at least for those two minutes. Deadlines hold. The event says how long
// nobody could act.

const (
	// Grace is how long a claim outlives its connection.
	Grace = 2 * time.Minute

	withoutConnection = 30 * time.Minute // the shortest lease where nothing shows that the client is there
)

// Leases are how long claims last in a workspace, with what this process knows of who is here and when the machine slept.
type Leases struct {
	Lease time.Duration // silence after which a claim ends
	Max   time.Duration // longest silence that an open connection covers
	Here  sessions.Here
	Clock *presence.Clock
}

// length is how long a claim lasts without being heard of: over a connection the lease of the service, 15 minutes by
// default; without one at least 30 minutes, or twice the estimate, because nothing shows that the client is still
// there.
func (l Leases) length(r *store.Record) time.Duration {
	if r.Conn != "" {
		return l.Lease
	}
	return max(l.Lease, withoutConnection, 2*r.Estimated())
}

// A Judge says how claims stand at one time. Who is here it asks anew each time, and how long the machine slept.
type LeasesAt struct {
	Leases
	Now     time.Time
	Started time.Time // of the service, as if the machine had not slept and nobody had set the clock since
}

// AtNow judges claims at the time that the clock reads now.
func (l Leases) AtNow() LeasesAt {
	now, running := l.Clock.Read()
	return LeasesAt{l, now, now.Add(-running)}
}

// Renewed is until when a claim goes on although its lease ended: while the connection that claimed is open, up to the
// longest silence allowed since the holder's last call on it; and in any case for one lease after the holder was last
// heard of. Time that the machine slept is nobody's silence.
//
// The longest silence is the largest of the service's (two hours by default), twice the estimate, and the longest
// session that the holder registered. A connection that may still be announced gives the claim two minutes more each
// time. One that is gone gives it nothing but the time asleep. The result may lie in the past: then the claim ends.
//
// Nothing is written while nobody looks. A claim over an open connection costs one event for each lease that passes
// before somebody notices, and not one for each minute.
func (j LeasesAt) RenewedUntil(v *store.View, r *store.Record) store.Time {
	switch {
	case j.goneForGood(r):
		return beforeDeadline(r, j.ExtendedForSleep(v, r, r.Lease))
	case j.MayReturn(r):
		return beforeDeadline(r, store.At(j.Now.Add(Grace)))
	}
	heard := j.LastHeard(r)
	heard = heard.Add(j.Clock.SleptSince(heard))
	end := store.At(heard.Add(j.length(r)))
	if r.Conn != "" {
		longest := heard.Add(max(j.Max, 2*r.Estimated(), longestSession(v, r)))
		end = min(store.At(j.Now.Add(j.length(r))), store.At(longest))
	}
	return beforeDeadline(r, max(end, j.ExtendedForSleep(v, r, r.Lease)))
}

// beforeDeadline shortens a lease: none passes the deadline, which ends the handoff whoever holds it.
func beforeDeadline(r *store.Record, end store.Time) store.Time {
	if r.Deadline != 0 {
		return min(end, r.Deadline)
	}
	return end
}

// longestSession is what the holder registered, zero when it did not or when its card cannot be read. It is registered
// in minutes, and holds for claims over a connection alone.
func longestSession(v *store.View, r *store.Record) time.Duration {
	a, err := v.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// Touch starts the lease of a held record anew, because its holder was heard of. While a handoff waits for an answer no
// lease runs: the holder can do nothing about it.
func (j LeasesAt) Touch(r *store.Record) {
	r.Touched, r.Left = store.At(j.Now), false
	r.SilentAt = j.SilenceNoticeAt(r)
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = beforeDeadline(r, store.At(j.Now.Add(j.length(r))))
}

// LongestLease is how far away the end of a lease of r may be.
func (l Leases) LongestLease(r *store.Record) time.Duration { return max(l.length(r), Grace) }

// SleptSinceEvent is how long the machine slept since the last event of a handoff, zero where that event cannot be read. Only
// this process knows of sleeps, so a service that has just begun knows of none.
func (l Leases) SleptSinceEvent(v *store.View, r *store.Record) time.Duration {
	if l.Clock.SleptSince(r.Created.Time()) == 0 {
		return 0 // as nearly always
	}
	e, err := v.Event(r.Event)
	if err != nil || e == nil {
		return 0
	}
	return l.Clock.SleptSince(e.At)
}

// ExtendedForSleep is until when something goes on that was to end at a time: longer by as long as the machine slept since the
// last event, and if it slept at that time, at least for the grace from when it woke.
func (l Leases) ExtendedForSleep(v *store.View, r *store.Record, at store.Time) store.Time {
	end := at.Time().Add(l.SleptSinceEvent(v, r))
	if woke := l.Clock.WokeAfter(at.Time()); !woke.IsZero() && woke.Add(Grace).After(end) {
		end = woke.Add(Grace)
	}
	return store.At(end)
}

// The connection over which a handoff was claimed is open, gone, or nobody knows: a service that has just begun does
// not know the connections of the one before, which may be announced yet.

// Broken tells whether the connection over which r was claimed is gone. Then an agent of the holder's name may take r
// again. It is gone if it was closed, if nobody announces connections of an earlier service, or after the grace since
// this service began. A claim without a connection is never broken. It reads only memory and the record.
func (j LeasesAt) ConnectionGone(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && (r.Left || j.Here.Alone || j.pastGrace())
}

func (j LeasesAt) pastGrace() bool { return j.Now.Sub(j.Started) > Grace }

// gone tells whether the connection of r is gone and had its time to come back: it was closed, which cut the lease to
// the grace, or this service knows all connections that are open.
func (j LeasesAt) goneForGood(r *store.Record) bool {
	return j.ConnectionGone(r) && (r.Left || j.pastGrace())
}

// Awaited tells whether the connection of r may still come back. Of an open, a gone and an awaited connection exactly
// one holds for each claim over a connection.
func (j LeasesAt) MayReturn(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && !j.goneForGood(r)
}

// LastHeard is when the holder of r was heard of last: by a call that changed it, or by one that only read it.
func (l Leases) LastHeard(r *store.Record) time.Time {
	if at := l.Here.LastHeard(r.Token); at.After(r.Touched.Time()) {
		return at
	}
	return r.Touched.Time()
}

// SilenceNoticeAt is when the sender is told of the silence of r's holder, as far as the holder was heard of by now; 0 where
// it was told or is not to be. The time may lie in the past. Time that the machine slept since is nobody's silence.
func (l Leases) SilenceNoticeAt(r *store.Record) store.Time {
	if r.SilentAt == 0 {
		return 0
	}
	heard := l.LastHeard(r)
	return store.At(heard.Add(l.Clock.SleptSince(heard)).Add(l.SilenceLimit(r)))
}

// SilenceLimit is how long the holder of r may be silent until that is worth a word: four thirds of a lease, or twice the
// estimate, but no more than three quarters of the silence after which the claim ends. With the defaults that is 20
// minutes, and an estimate of 10 minutes or less changes nothing. The cap is there so that the sender hears of it while
// the claim still goes on. The overview judges by the same time.
func (l Leases) SilenceLimit(r *store.Record) time.Duration {
	longest := l.length(r)
	if r.Conn != "" { // whose lease is renewed, see [LeasesAt.RenewedUntil]
		longest = max(l.Max, 2*r.Estimated())
	}
	return min(max(l.Lease*4/3, 2*r.Estimated()), longest*3/4)
}
