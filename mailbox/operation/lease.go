package operation

import (
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// How long a claim lasts, and whether its holder is still there.
//
// A client over stdio has a connection: its lease is short, and the claim goes on while the connection is open. A
// client over HTTP has no connection: its lease is long, and each call that names the handoff renews the lease. A
// person on the command line counts as a caller without a connection.
//
// No background job ends or renews leases, so a model that works for 40 minutes costs no write. The next operation
// notices an ended lease and asks [LeasesAt.RenewedLeaseEnd] whether the claim goes on. The functions in this file
// write nothing: package mailbox applies their results and records each change as an event.
//
// Only the process that owns the store knows the open connections. So a new owner gives each unknown connection two
// minutes to announce itself.
//
// If the clock advanced by over a minute more than the machine was awake, the machine slept for the difference. Leases
// and reservations are then extended by the time asleep, and last at least two minutes after the machine woke.
// Deadlines are not extended.

const (
	// Grace is how long a claim outlives its connection.
	Grace = 2 * time.Minute

	// UnreadGrace is how long a claim outlives its connection if perhaps nobody read its answer, see [LeasesAt.IsUnread].
	UnreadGrace = 4 * time.Second

	minLeaseWithoutConnection = 30 * time.Minute // the shortest lease of a claim without a connection
)

// IsUnread reports whether perhaps nobody read the answer of the claim of r: a look of a wait made the claim within the
// last minute, and its holder has made no call about it. The third such claim counts as read, because the work itself
// may end each session that reads it.
func (j LeasesAt) IsUnread(r *store.Record) bool {
	called := j.HolderLastHeard(r).After(r.Touched.Time())
	return r.Unread != "" && !called && j.Now.Sub(r.Touched.Time()) < time.Minute && r.Claims-r.Attempt < 2
}

// GraceOf returns how long the claim of r outlives its connection.
func (j LeasesAt) GraceOf(r *store.Record) time.Duration {
	if j.IsUnread(r) {
		return UnreadGrace
	}
	return Grace
}

// Leases holds the settings of a workspace about the length of claims. It also gives access to the open connections of
// this process and to the times when the machine slept.
type Leases struct {
	Lease time.Duration // silence after which a claim ends
	Max   time.Duration // longest silence that an open connection covers
	Here  sessions.Presence
	Clock *presence.Clock
}

// leaseLength returns how long a claim lasts without a call of its holder. Over a connection the claim lasts for the
// configured lease, 15 minutes by default. Without a connection it lasts at least 30 minutes and at least twice the
// estimated working time, because only calls show that the client is still there.
func (l Leases) leaseLength(r *store.Record) time.Duration {
	if r.Conn != "" {
		return l.Lease
	}
	return max(l.Lease, minLeaseWithoutConnection, 2*r.EstimatedDuration())
}

// LeasesAt decides about claims at one fixed time. Each of its methods reads the open connections and the sleeps of the
// machine anew.
type LeasesAt struct {
	Leases
	Now     time.Time
	Started time.Time // of the service, corrected for sleeps and for a clock that was set
}

// AtNow returns a [LeasesAt] for the current time of the clock.
func (l Leases) AtNow() LeasesAt {
	now, running := l.Clock.Read()
	return LeasesAt{l, now, now.Add(-running)}
}

// RenewedLeaseEnd returns the new end of a lease that has ended. The claim ends if the result lies in the past.
//
//   - While the connection is open, the claim goes on for one more lease, until the holder has been silent for too
//     long. Too long is the largest of three times: the limit of the service (two hours by default), twice the
//     estimated working time, and the longest session that the holder registered.
//   - Without a connection, the claim goes on for one lease after the holder's last call about the handoff.
//   - If the connection is unknown and its client may still announce it, the claim goes on for two minutes.
//   - If the connection is gone, the lease is extended only by the time that the machine slept.
//
// Time during which the machine slept does not count as silence. The server renews a lease only when a call comes after
// the end of the lease, so a claim costs at most one event per lease.
func (j LeasesAt) RenewedLeaseEnd(v *store.View, r *store.Record) store.Time {
	switch {
	case j.isConnectionGoneForGood(r):
		return capAtDeadline(r, j.EndExtendedBySleep(v, r, r.Lease))
	case j.MayConnectionReturn(r):
		return capAtDeadline(r, store.TimeOf(j.Now.Add(Grace)))
	}
	heard := j.HolderLastHeard(r)
	heard = heard.Add(j.Clock.SleptSince(heard))
	end := store.TimeOf(heard.Add(j.leaseLength(r)))
	if r.Conn != "" {
		longest := heard.Add(max(j.Max, 2*r.EstimatedDuration(), longestHolderSession(v, r)))
		end = min(store.TimeOf(j.Now.Add(j.leaseLength(r))), store.TimeOf(longest))
	}
	return capAtDeadline(r, max(end, j.EndExtendedBySleep(v, r, r.Lease)))
}

// capAtDeadline returns the end of a lease, or the deadline of the handoff if the deadline is earlier.
func capAtDeadline(r *store.Record, end store.Time) store.Time {
	if r.Deadline != 0 {
		return min(end, r.Deadline)
	}
	return end
}

// longestHolderSession returns how long a session of the holder may last, by the minutes that the holder registered on
// its card. It returns zero if the holder registered none, or if the card cannot be read.
func longestHolderSession(v *store.View, r *store.Record) time.Duration {
	a, err := v.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// RestartLease starts the lease of a claimed handoff anew, because its holder made a call about the handoff. A handoff
// that waits for an answer has no lease, because its holder cannot speed up the answer.
func (j LeasesAt) RestartLease(r *store.Record) {
	r.Touched, r.Left, r.Unread = store.TimeOf(j.Now), false, ""
	r.SilentAt = j.SilenceNoticeAt(r)
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = capAtDeadline(r, store.TimeOf(j.Now.Add(j.leaseLength(r))))
}

// MaxLeaseLength returns the longest time from now to the end of a lease of r.
func (l Leases) MaxLeaseLength(r *store.Record) time.Duration { return max(l.leaseLength(r), Grace) }

// SleptSinceLastEvent returns how long the machine slept since the last event of a handoff that is no message, or zero
// if the event cannot be read. This process keeps sleeps only in memory, so sleeps before a restart count as zero.
func (l Leases) SleptSinceLastEvent(v *store.View, r *store.Record) time.Duration {
	if l.Clock.SleptSince(r.Created.Time()) == 0 {
		return 0 // the usual case
	}
	e, err := v.Event(r.Event)
	for err == nil && e != nil && e.Action == string(life.Message) { // it changes no lease
		e, err = v.Event(e.Before)
	}
	if err != nil || e == nil {
		return 0
	}
	return l.Clock.SleptSince(e.At)
}

// EndExtendedBySleep extends the lease or reservation of r that ends at the time `at`. It returns `at` plus the time
// that the machine slept since the last event of r. If the machine was asleep at the time `at`, the new end is at least
// [Grace] after the machine woke.
func (l Leases) EndExtendedBySleep(v *store.View, r *store.Record, at store.Time) store.Time {
	end := at.Time().Add(l.SleptSinceLastEvent(v, r))
	if woke := l.Clock.WokeAfter(at.Time()); !woke.IsZero() && woke.Add(Grace).After(end) {
		end = woke.Add(Grace)
	}
	return store.TimeOf(end)
}

// IsConnectionGone reports whether the connection over which r was claimed is gone. Then another session with the
// holder's name may claim r again. A connection is gone if it was closed. A connection of an earlier process is gone if
// no other process could announce it, or if its client did not announce it within [Grace] after the start of this
// process. The result is false for a claim without a connection.
func (j LeasesAt) IsConnectionGone(r *store.Record) bool {
	return r.Conn != "" && !j.IsSessionConnected(r) && (r.Left || j.Here.Alone || j.isPastGrace())
}

// IsSessionConnected reports whether a connection of the session that claimed r is open: the connection of the claim,
// or one that has its name and its id. The process of the other connection may have been killed together with the
// memory of the open connections.
func (j LeasesAt) IsSessionConnected(r *store.Record) bool {
	return j.Here.IsConnectionOpen(r.Conn) || !r.Left && j.Here.ActsOverConnection(r.Holder, func(c presence.Connection) bool {
		return c.Own == r.Holder && c.Session == r.HolderID
	})
}

func (j LeasesAt) isPastGrace() bool { return j.Now.Sub(j.Started) > Grace }

// isConnectionGoneForGood reports whether the connection of r is gone and has used up its time to return. A connection
// of an earlier process has [Grace] after the start of this process. For a closed connection, closing it already
// limited the lease to [Grace], so this function gives no further time.
func (j LeasesAt) isConnectionGoneForGood(r *store.Record) bool {
	return j.IsConnectionGone(r) && (r.Left || j.isPastGrace())
}

// MayConnectionReturn reports whether the connection of r is unknown to this process and its client may still announce
// it. The connection of a claim is in exactly one of three states: open, gone for good, or possibly returning.
func (j LeasesAt) MayConnectionReturn(r *store.Record) bool {
	return r.Conn != "" && !j.IsSessionConnected(r) && !j.isConnectionGoneForGood(r)
}

// HolderLastHeard returns the time of the holder's last call about r. A call that only read r counts, too.
func (l Leases) HolderLastHeard(r *store.Record) time.Time {
	if at := l.Here.LastHeard(r.Token); at.After(r.Touched.Time()) {
		return at
	}
	return r.Touched.Time()
}

// SilenceNoticeAt returns the time at which the server notifies the sender that the holder of r has made no call for
// long, see [Leases.SilenceLimit]. It returns 0 if the server has already notified the sender, or will not. The time
// may lie in the past. Time during which the machine slept does not count as silence.
func (l Leases) SilenceNoticeAt(r *store.Record) store.Time {
	if r.SilentAt == 0 {
		return 0
	}
	heard := l.HolderLastHeard(r)
	return store.TimeOf(heard.Add(l.Clock.SleptSince(heard)).Add(l.SilenceLimit(r)))
}

// SilenceLimit returns how long the holder of r may make no call before the server notifies the sender. It is four
// thirds of a lease or twice the estimated working time, the longer of the two. It is at most three quarters of the
// silence after which the claim ends, so that the sender hears of the silence before that end. With the defaults it is
// 20 minutes.
func (l Leases) SilenceLimit(r *store.Record) time.Duration {
	longest := l.leaseLength(r)
	if r.Conn != "" { // its lease is renewed, see [LeasesAt.RenewedLeaseEnd]
		longest = max(l.Max, 2*r.EstimatedDuration())
	}
	return min(max(l.Lease*4/3, 2*r.EstimatedDuration()), longest*3/4)
}
