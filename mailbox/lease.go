package mailbox

import (
	"fmt"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// httpLease is the lease of a claim without a connection that shows that its client is there.
//
// A claim has one of three proofs that its holder is still there. Over a connection it is
// the connection: the lease is short, and is renewed by itself while the connection is open. Over HTTP there is none,
// so the lease is long and each call that names the handoff renews it. On the command line it is the person, who is
// treated as a caller without a connection.
const httpLease = 30 * time.Minute

// lease is how long a claim lasts without being heard of: over a connection the lease of the service, 15 minutes by
// default; without one at least 30 minutes, or twice the estimate, because nothing shows that the client is still
// there.
func (s *Service) lease(r *store.Record) time.Duration {
	if r.Conn != "" {
		return s.Lease
	}
	return max(s.Lease, httpLease, 2*estimate(r))
}

// estimate is how long the sender thinks that the work takes, zero where it did not say.
func estimate(r *store.Record) time.Duration { return time.Duration(r.Estimate) * time.Minute }

// renewed is until when a claim goes on although its lease ended: while the connection that claimed is open, up to the
// longest silence allowed since the holder's last call on it; and in any case for one lease after the holder was last
// heard of. Time that the machine slept is nobody's silence.
//
// The longest silence is the largest of the service's (two hours by default), twice the estimate, and the longest
// session that the holder registered. A connection that may still be announced gives the claim two minutes more each
// time. One that is gone gives it nothing but the time asleep. The result may lie in the past: then the claim ends.
//
// Nothing is written while nobody looks. A claim over an open connection costs one event for each lease that passes
// before somebody notices, and not one for each minute.
func (o *op) renewed(r *store.Record) store.Time {
	switch {
	case o.gone(r):
		return beforeDeadline(r, o.prolonged(r, r.Lease))
	case o.awaited(r):
		return beforeDeadline(r, store.At(o.now.Add(grace)))
	}
	heard := o.heard(r)
	heard = heard.Add(o.clock.SleptSince(heard))
	end := store.At(heard.Add(o.lease(r)))
	if r.Conn != "" {
		longest := heard.Add(max(o.LeaseMax, 2*estimate(r), o.longestSession(r)))
		end = min(store.At(o.now.Add(o.lease(r))), store.At(longest))
	}
	return beforeDeadline(r, max(end, o.prolonged(r, r.Lease)))
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
func (o *op) longestSession(r *store.Record) time.Duration {
	a, err := o.Agent(r.Holder)
	if err != nil || a == nil {
		return 0
	}
	return time.Duration(a.Card.MaxMinutes) * time.Minute
}

// touch starts the lease of a held record anew, because its holder was heard of. While a handoff waits for an answer no
// lease runs: the holder can do nothing about it.
func (o *op) touch(r *store.Record) {
	r.Touched, r.Left = store.At(o.now), false
	r.Quiet = o.quietUntil(r)
	if r.Status == schemas.Waiting {
		r.Lease = 0
		return
	}
	r.Lease = beforeDeadline(r, store.At(o.now.Add(o.lease(r))))
}

// asleep is how long the machine slept since the last event of a handoff, zero where that event cannot be read. Only
// this process knows of sleeps, so a service that has just begun knows of none.
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
// again. It is gone if it was closed, if nobody announces connections of an earlier service, or after the grace of two
// minutes since this service began. A claim without a connection is never broken.
func (o *op) broken(r *store.Record) bool { return o.brokenAfter(r, o.now.Sub(o.started)) }

// brokenAfter is [op.broken] for a service that has run for so long. It reads only memory and the record, so those who
// look may ask it on a snapshot.
func (s *Service) brokenAfter(r *store.Record, running time.Duration) bool {
	return r.Conn != "" && !s.here.IsOpen(r.Conn) && (r.Left || s.Alone || running > grace)
}

// isGone tells those who look whether the connection of a claim is gone.
func (s *Service) isGone(r *store.Record) bool {
	_, running := s.clock.Read()
	return s.brokenAfter(r, running)
}

// heard is when the holder of r was heard of last: by a call that changed it, or by one that only read it.
func (s *Service) heard(r *store.Record) time.Time {
	if at := s.here.LastHeard(r.ID); at.After(r.Touched.Time()) {
		return at
	}
	return r.Touched.Time()
}

// gone tells whether the connection of r is gone and had its time to come back: it was closed, which cut the lease to
// the grace, or this service knows all connections that are open.
func (o *op) gone(r *store.Record) bool {
	return o.broken(r) && (r.Left || o.now.Sub(o.started) > grace)
}

// awaited tells whether the connection of r may still come back. Of an open, a gone and an awaited connection exactly
// one holds for each claim over a connection.
func (o *op) awaited(r *store.Record) bool {
	return r.Conn != "" && !o.here.IsOpen(r.Conn) && !o.gone(r)
}

// silence is how long the holder of r may be silent until that is worth a word: four thirds of a lease, or twice the
// estimate, but no more than three quarters of the silence after which the claim ends. With the defaults that is 20
// minutes, and an estimate of 10 minutes or less changes nothing. The cap is there so that the sender hears of it while
// the claim still goes on. The overview judges by the same time.
func (s *Service) silence(r *store.Record) time.Duration {
	longest := s.lease(r)
	if r.Conn != "" { // whose lease is renewed, see [op.renewed]
		longest = max(s.LeaseMax, 2*estimate(r))
	}
	return min(max(s.Lease*4/3, 2*estimate(r)), longest*3/4)
}

// heedsSilence is when a claim begins in which the sender is told of silence, zero where nobody is: a person takes the
// time that it takes, and a sender knows what it holds itself. The time itself does not count: [op.take] sets it as a
// mark, and [op.touch] makes it the time at which silence is told. For work that the rules sent the sender is the owner
// of the workflow, see [reading.Principal].
func (o *op) heedsSilence(r *store.Record) (store.Time, error) {
	to, err := reading.Principal(o.View, r)
	if r.Holder == to || r.Holder == schemas.Human {
		return 0, err
	}
	return store.At(o.now), err
}

// silent tells the sender of a holder that was not heard of for long, see [life.Silent], or puts that off for one that
// was heard of since or whose machine slept.
//
// It runs as the clock, while the handoff is accepted or working. It takes nothing from the holder: no lease is cut and
// the token stays good. It is told once for each claim, since the mark is taken off; a new claim sets it again.
func (o *op) silent(r *store.Record) error {
	if end := o.quietUntil(r); end > store.At(o.now) {
		return o.change(happening{action: life.Renew, due: r.Quiet}, r, func(now *store.Record) { now.Quiet = end })
	}
	text := fmt.Sprintf("%s gives no sign since %s and still holds it. ", r.Holder, o.heard(r).UTC().Format("15:04 MST"))
	switch said, err := reading.Report(o.View, r); { // one that cannot be read keeps nobody from being told
	case said != "":
		text += "The last report: " + said + " "
	case err == nil:
		text += "It reported nothing. "
	}
	text += tellAgent(r.Holder).String()
	return o.change(happening{action: life.Silent, due: r.Quiet, text: text}, r, func(now *store.Record) { now.Quiet = 0 })
}

// quietUntil is when the sender is told of the silence of r's holder, as far as the holder was heard of by now; 0 where
// it was told or is not to be. The time may lie in the past. Time that the machine slept since is nobody's silence.
func (o *op) quietUntil(r *store.Record) store.Time {
	if r.Quiet == 0 {
		return 0
	}
	heard := o.heard(r)
	return store.At(heard.Add(o.clock.SleptSince(heard)).Add(o.silence(r)))
}
