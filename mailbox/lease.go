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
// lease after the holder was last heard of.
func (o *op) renewed(r *store.Record) store.Time {
	heard := r.Touched.Time()
	if at := o.conns.lastHeard(r.ID); at.After(heard) {
		heard = at
	}
	end := heard.Add(o.lease(r))
	if o.conns.live(r.Conn) {
		until := heard.Add(max(o.LeaseMax, 2*estimate(r), o.longestSession(r)))
		end = o.now.Add(o.lease(r))
		if end.After(until) {
			end = until
		}
	} else if r.Conn != "" {
		return 0 // the connection is gone, and the grace with it
	}
	return store.At(end)
}

// longestSession is what the holder registered, zero when it did not.
func (o *op) longestSession(r *store.Record) time.Duration {
	a, err := o.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// touch starts the lease of a held record anew. No lease passes the deadline, which ends the handoff.
func (o *op) touch(r *store.Record) {
	r.Touched = store.At(o.now)
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = store.At(o.now.Add(o.lease(r)))
	if r.Deadline != 0 && r.Lease > r.Deadline {
		r.Lease = r.Deadline
	}
}
