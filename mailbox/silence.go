package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// heedsSilence is when a claim begins, as a mark that the sender is to be told when its holder falls silent; zero where
// nobody is told. A person may take any time, and a sender knows what it holds itself. [op.take] sets the mark, and
// [lease.Judge.Touch] puts the time in its place at which silence is told. For work that the rules sent the sender is
// the owner of the workflow, see [reading.Principal].
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
	if end := o.leases.QuietUntil(r); end > store.At(o.now) {
		return o.change(happening{action: life.Renew, due: r.Quiet}, r, func(now *store.Record) { now.Quiet = end })
	}
	text := fmt.Sprintf("%s gives no sign since %s and still holds it. ", r.Holder, o.leases.Heard(r).UTC().Format("15:04 MST"))
	switch said, err := reading.Report(o.View, r); { // one that cannot be read keeps nobody from being told
	case said != "":
		text += "The last report: " + said + " "
	case err == nil:
		text += "It reported nothing. "
	}
	text += tellAgent(r.Holder).String()
	return o.change(happening{action: life.Silent, due: r.Quiet, text: text}, r, func(now *store.Record) { now.Quiet = 0 })
}
