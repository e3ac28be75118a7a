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
// A claim has one of three proofs that its holder is still there. A client over stdio has its connection: the lease is
// short and goes on while the connection is open. A client over HTTP has no connection, so the lease is long and each
// call that names the handoff renews it. A person on the command line counts as a caller without a connection.
//
// No sweeper ends leases. A lease is over when its time has passed, and the next operation that notices asks
// [LeasesAt.RenewedUntil] whether the claim goes on. The functions here write nothing: the rules of the mailbox apply
// their results, each change as an event.
//
// No timer renews a lease, so a model that works for 40 minutes costs no write while no other call comes. Only this
// process's memory knows the open connections. A new owner of the store therefore gives each connection that it does
// not know two minutes to announce itself: a killed server could not say that it left, and its client may start another
// one at once.
//
// If the clock advanced more than a minute further than the time that the machine was awake, leases and reservations
// are extended by the time that the machine slept, and by at least those two minutes. Deadlines are not extended. The
// event records how long the machine slept.

const (
	// Grace is how long a claim outlives its connection.
	Grace = 2 * time.Minute

	withoutConnection = 30 * time.Minute // the shortest lease of a claim without a connection
)

// Leases holds how long claims last in a workspace, and this process's knowledge of present agents and of sleeps of the
// machine.
type Leases struct {
	Lease time.Duration // silence after which a claim ends
	Max   time.Duration // longest silence that an open connection covers
	Here  sessions.Here
	Clock *presence.Clock
}

// length returns how long a claim lasts without a sign of its holder. Over a connection that is the lease of the
// service, 15 minutes by default. Without a connection it is at least 30 minutes, or twice the estimate, because
// nothing shows that the client is still there.
func (l Leases) length(r *store.Record) time.Duration {
	if r.Conn != "" {
		return l.Lease
	}
	return max(l.Lease, withoutConnection, 2*r.Estimated())
}

// LeasesAt judges claims at one time. It looks up present agents and sleeps of the machine anew in each call.
type LeasesAt struct {
	Leases
	Now     time.Time
	Started time.Time // of the service, corrected for sleeps and for a clock that was set
}

// AtNow returns the judge for the time that the clock reads now.
func (l Leases) AtNow() LeasesAt {
	now, running := l.Clock.Read()
	return LeasesAt{l, now, now.Add(-running)}
}

// RenewedUntil returns how long a claim goes on after its lease ended. While the claiming connection is open, the claim
// goes on up to the longest silence since the holder's last call on it. In any case it goes on for one lease after the
// holder's last sign. Time that the machine slept does not count as silence.
//
// The longest silence is the largest of three: the service's (two hours by default), twice the estimate, and the
// longest session that the holder registered. A connection that may still be announced extends the claim by two minutes
// each time. A connection that is gone extends it only by the time asleep. The result may lie in the past: then the
// claim ends.
//
// Nothing is written without a call. A claim over an open connection costs one event for each lease that ends before an
// operation notices, and not one for each minute.
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

// beforeDeadline cuts the end of a lease to the deadline, which ends the handoff in any case.
func beforeDeadline(r *store.Record, end store.Time) store.Time {
	if r.Deadline != 0 {
		return min(end, r.Deadline)
	}
	return end
}

// longestSession returns the longest session that the holder registered, in minutes on its card. It returns zero if the
// holder registered none, or if its card cannot be read. It applies only to claims over a connection.
func longestSession(v *store.View, r *store.Record) time.Duration {
	a, err := v.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// Touch starts the lease of a held record anew after a sign of its holder. While a handoff waits for an answer, no
// lease runs, because its holder can do nothing about it.
func (j LeasesAt) Touch(r *store.Record) {
	r.Touched, r.Left = store.At(j.Now), false
	r.SilentAt = j.SilenceNoticeAt(r)
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = beforeDeadline(r, store.At(j.Now.Add(j.length(r))))
}

// LongestLease returns the longest time from now to the end of a lease of r.
func (l Leases) LongestLease(r *store.Record) time.Duration { return max(l.length(r), Grace) }

// SleptSinceEvent returns how long the machine slept since the last event of a handoff, zero if the event cannot be
// read. Only this process knows of sleeps, so a new process knows of none.
func (l Leases) SleptSinceEvent(v *store.View, r *store.Record) time.Duration {
	if l.Clock.SleptSince(r.Created.Time()) == 0 {
		return 0 // the usual case
	}
	e, err := v.Event(r.Event)
	if err != nil || e == nil {
		return 0
	}
	return l.Clock.SleptSince(e.At)
}

// ExtendedForSleep returns the end of a time that was set to end at at, extended by the sleep since the last event. If
// the machine slept at that time, the end is at least [Grace] after it woke.
func (l Leases) ExtendedForSleep(v *store.View, r *store.Record, at store.Time) store.Time {
	end := at.Time().Add(l.SleptSinceEvent(v, r))
	if woke := l.Clock.WokeAfter(at.Time()); !woke.IsZero() && woke.Add(Grace).After(end) {
		end = woke.Add(Grace)
	}
	return store.At(end)
}

// The connection of a claim is open, gone, or unknown: a new process does not know the connections of the process
// before, which may still be announced.

// ConnectionGone tells whether the connection over which r was claimed is gone. Then an agent of the holder's name may
// claim r again. A connection is gone if it was closed, if no other server could announce connections of an earlier
// process, or if it was not announced within the grace after this process started. A claim without a connection never
// counts as gone. ConnectionGone reads only memory and the record.
func (j LeasesAt) ConnectionGone(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && (r.Left || j.Here.Alone || j.pastGrace())
}

func (j LeasesAt) pastGrace() bool { return j.Now.Sub(j.Started) > Grace }

// goneForGood tells whether the connection of r is gone and had its time to return: it was closed, which cut the lease
// to the grace, or the grace after the start of this process is over.
func (j LeasesAt) goneForGood(r *store.Record) bool {
	return j.ConnectionGone(r) && (r.Left || j.pastGrace())
}

// MayReturn tells whether the connection of r is unknown and may still return. Each claim over a connection is in
// exactly one of the states open, gone for good, and may return.
func (j LeasesAt) MayReturn(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && !j.goneForGood(r)
}

// LastHeard returns when the holder of r last made a call, whether it changed r or only read it.
func (l Leases) LastHeard(r *store.Record) time.Time {
	if at := l.Here.LastHeard(r.Token); at.After(r.Touched.Time()) {
		return at
	}
	return r.Touched.Time()
}

// SilenceNoticeAt returns when the server notifies the sender that r's holder is silent, judged by the holder's last
// call; 0 if the sender was notified or no notice is due. The time may lie in the past. Time that the machine slept
// does not count as silence.
func (l Leases) SilenceNoticeAt(r *store.Record) store.Time {
	if r.SilentAt == 0 {
		return 0
	}
	heard := l.LastHeard(r)
	return store.At(heard.Add(l.Clock.SleptSince(heard)).Add(l.SilenceLimit(r)))
}

// SilenceLimit returns how long the holder of r may be silent before the server notifies the sender: four thirds of a
// lease, or twice the estimate, but at most three quarters of the silence after which the claim ends. With the defaults
// that is 20 minutes, and an estimate of 10 minutes or less changes nothing. The cap makes sure that the sender hears
// of it while the claim still goes on. The overview uses the same limit.
func (l Leases) SilenceLimit(r *store.Record) time.Duration {
	longest := l.length(r)
	if r.Conn != "" { // its lease is renewed, see [LeasesAt.RenewedUntil]
		longest = max(l.Max, 2*r.Estimated())
	}
	return min(max(l.Lease*4/3, 2*r.Estimated()), longest*3/4)
}
