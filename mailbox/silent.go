package mailbox

import (
	"fmt"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

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
