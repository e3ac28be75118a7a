package mailbox

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

// httpLease is the lease of a claim without a connection that shows that its client is there.
const httpLease = 30 * time.Minute

// lease is how long a claim lasts without being heard of.
func (s *Service) lease(r *store.Record) time.Duration {
	if r.Conn != "" {
		return s.Lease
	}
	return max(s.Lease, httpLease, 2*estimate(r))
}

func estimate(r *store.Record) time.Duration { return time.Duration(r.Estimate) * time.Minute }

// renewed is until when a claim goes on although its lease ended: while the connection that claimed is
// open, up to the longest silence allowed since the holder's last call on it; and in any case for one
// lease after the holder was last heard of. Time that the machine slept is nobody's silence.
func (o *op) renewed(r *store.Record) store.Time {
	switch {
	case o.gone(r):
		return beforeDeadline(r, o.prolonged(r, r.Lease))
	case o.awaited(r):
		return beforeDeadline(r, store.At(o.now.Add(grace)))
	}
	heard := r.Touched.Time()
	if at := o.here.LastHeard(r.ID); at.After(heard) {
		heard = at
	}
	heard = heard.Add(o.clock.SleptSince(heard))
	end := store.At(heard.Add(o.lease(r)))
	if r.Conn != "" {
		longest := heard.Add(max(o.LeaseMax, 2*estimate(r), o.longestSession(r)))
		end = min(store.At(o.now.Add(o.lease(r))), store.At(longest))
	}
	return beforeDeadline(r, max(end, o.prolonged(r, r.Lease)))
}

// beforeDeadline shortens a lease: none passes the deadline, which ends the handoff.
func beforeDeadline(r *store.Record, end store.Time) store.Time {
	if r.Deadline != 0 {
		return min(end, r.Deadline)
	}
	return end
}

// longestSession is what the holder registered, zero when it did not.
func (o *op) longestSession(r *store.Record) time.Duration {
	a, err := o.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// touch starts the lease of a held record anew.
func (o *op) touch(r *store.Record) {
	r.Touched, r.Left = store.At(o.now), false
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = beforeDeadline(r, store.At(o.now.Add(o.lease(r))))
}

// asleep is how long the machine slept since the last event of a handoff.
func (o *op) asleep(r *store.Record) time.Duration {
	if o.clock.SleptSince(r.Created.Time()) == 0 {
		return 0 // as nearly always
	}
	e, err := o.Event(r.Event)
	if err != nil || e == nil {
		return 0
	}
	return o.clock.SleptSince(e.At)
}

// prolonged is until when something goes on that was to end at t: longer by as long as the machine slept since
// the last event, and if it slept at t, at least for the grace from when it woke.
func (o *op) prolonged(r *store.Record, t store.Time) store.Time {
	end := t.Time().Add(o.asleep(r))
	if woke := o.clock.WokeAfter(t.Time()); !woke.IsZero() && woke.Add(grace).After(end) {
		end = woke.Add(grace)
	}
	return store.At(end)
}

// grace is how long a claim outlives its connection.
const grace = 2 * time.Minute

// The connection over which a handoff was claimed is open, gone, or nobody knows: a service that has just begun does
// not know the connections of the one before, which may be announced yet.

// broken tells whether the connection over which r was claimed is gone. Then an agent of the holder's name may take r
// again. It is gone if it was closed, if nobody announces connections of an earlier service, or after the grace.
func (o *op) broken(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && (r.Left || o.Alone || o.now.Sub(o.started) > grace)
}

// gone tells whether the connection of r is gone and had its time to come back.
func (o *op) gone(r *store.Record) bool {
	return o.broken(r) && (r.Left || o.now.Sub(o.started) > grace)
}

// awaited tells whether the connection of r may still come back.
func (o *op) awaited(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && !o.gone(r)
}
