package lease

import (
	"time"

	"handoff/store"
)

// The connection over which a handoff was claimed is open, gone, or nobody knows: a service that has just begun does
// not know the connections of the one before, which may be announced yet.

// Broken tells whether the connection over which r was claimed is gone. Then an agent of the holder's name may take r
// again. It is gone if it was closed, if nobody announces connections of an earlier service, or after the grace since
// this service began. A claim without a connection is never broken. It reads only memory and the record.
func (j Judge) Broken(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && (r.Left || j.Here.Alone || j.pastGrace())
}

func (j Judge) pastGrace() bool { return j.Now.Sub(j.Started) > Grace }

// gone tells whether the connection of r is gone and had its time to come back: it was closed, which cut the lease to
// the grace, or this service knows all connections that are open.
func (j Judge) gone(r *store.Record) bool { return j.Broken(r) && (r.Left || j.pastGrace()) }

// Awaited tells whether the connection of r may still come back. Of an open, a gone and an awaited connection exactly
// one holds for each claim over a connection.
func (j Judge) Awaited(r *store.Record) bool {
	return r.Conn != "" && !j.Here.IsOpen(r.Conn) && !j.gone(r)
}

// Heard is when the holder of r was heard of last: by a call that changed it, or by one that only read it.
func (t Terms) Heard(r *store.Record) time.Time {
	if at := t.Here.LastHeard(r.ID); at.After(r.Touched.Time()) {
		return at
	}
	return r.Touched.Time()
}

// QuietUntil is when the sender is told of the silence of r's holder, as far as the holder was heard of by now; 0 where
// it was told or is not to be. The time may lie in the past. Time that the machine slept since is nobody's silence.
func (t Terms) QuietUntil(r *store.Record) store.Time {
	if r.Quiet == 0 {
		return 0
	}
	heard := t.Heard(r)
	return store.At(heard.Add(t.Clock.SleptSince(heard)).Add(t.Silence(r)))
}

// Silence is how long the holder of r may be silent until that is worth a word: four thirds of a lease, or twice the
// estimate, but no more than three quarters of the silence after which the claim ends. With the defaults that is 20
// minutes, and an estimate of 10 minutes or less changes nothing. The cap is there so that the sender hears of it while
// the claim still goes on. The overview judges by the same time.
func (t Terms) Silence(r *store.Record) time.Duration {
	longest := t.length(r)
	if r.Conn != "" { // whose lease is renewed, see [Judge.Renewed]
		longest = max(t.Max, 2*r.Estimated())
	}
	return min(max(t.Lease*4/3, 2*r.Estimated()), longest*3/4)
}
