package mailbox

import (
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// refusalsKept is how many refusals of one attempt are kept, so that a holder that repeats itself cannot fill the record.
const refusalsKept = 8

// refuseResult tells the holder why its completion is refused, and keeps that with the handoff, see [life.RefuseResult].
// The error undoes the transaction where nothing is kept.
func (o *op) refuseResult(r *store.Record, digest string, why *schemas.Error) error {
	var before schemas.Refusal
	if err := o.Saying(r.ID, r.Refused, &before); err != nil {
		return err
	}
	refusal := schemas.Refusal{Note: why.Message, Failed: o.failed(before), Tree: o.by.Tree, Result: digest}
	full := r.Refusals >= refusalsKept*max(r.Attempt, 1) && len(refusal.Failed) <= len(before.Failed) // a new failure is kept
	if full || refusal.Same(before) {
		return why
	}
	now, err := o.step(life.RefuseResult, r)
	if err != nil {
		return err
	}
	now.Refused, now.Refusals = o.next(), r.Refusals+1
	o.refuse(why)
	return o.commit(happening{action: life.RefuseResult, was: r, now: &now, said: refusal, part: "refusal"})
}

// failed are the checks that were just seen not to pass, and those of an earlier refusal at which nobody looked since.
func (o *op) failed(before schemas.Refusal) (failed []schemas.Observation) {
	sight := schemas.OrZero(o.by.Sight)
	for _, now := range sight.Observed {
		if !now.Passed {
			now.Tail = strings.ToValidUTF8(now.Tail[max(0, len(now.Tail)-shownTail):], "")
			failed = append(failed, now)
		}
	}
	return append(failed, slices.DeleteFunc(before.Failed, func(was schemas.Observation) bool { return sight.Of(was.Check) != nil })...)
}

// shownTail is how much is kept of what a failing check printed, in bytes.
const shownTail = 1 << 10
