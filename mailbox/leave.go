package mailbox

import (
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// awaits is what the workflow of a step that ended waits for: a file whose rules may go on with it once they have leave,
// or [reading.Away] where no file has the step just now; "" for neither. Only steps are waited for: what happens without
// leave causes no other rule to send, then or later. What failed goes back as if there were no workflow.
func (s ruleSet) awaits(on string, f *rules.Facts) string {
	plan, _, _ := strings.Cut(f.Handoff.Step, "/")
	switch {
	case s.waitingFile(plan) != "" && s.waiting.HasStep(f.Handoff.Step):
		return s.waiting.Follows(on, f)
	case f.Handoff.Step != "" && on == occasions[life.Complete] && !s.HasStep(f.Handoff.Step):
		return reading.Away
	}
	return ""
}

// awaitLeave notes on an ended step that what follows it waits for leave. [op.releaseAllowed] finds it by that. The owner
// of the workflow and human are told of the first step of each workflow that waits. A workspace has
// [reading.MostLooked] at most.
func (o *op) awaitLeave(h *operation.Happening) error {
	r, err := o.Record(h.Now.ID)
	if err != nil || r.AwaitsLeave() != "" {
		return err
	}
	waiting, told := 0, false
	for id, err := range o.AwaitingLeave() {
		if err != nil {
			return err
		}
		other := reading.Readable(o.View, id)
		told = told || other != nil && other.Workflow == r.Workflow
		if waiting++; waiting >= reading.MostLooked {
			full := schemas.Errorf(schemas.Limit, "%d ended steps wait for leave, the limit", reading.MostLooked)
			return o.tellUnsent(r, "The workflow cannot wait behind "+r.ID.String(), full.WithHint("Send what is left."))
		}
	}
	return o.ActingAs(operation.ClockCaller, func() error {
		err := o.Change(&operation.Happening{Action: life.Defer}, r, func(now *store.Record) {
			now.Owes = append(now.Owes, store.Debt{Do: string(life.SendRouted), Leave: h.Leave, Opened: h.Opened})
		})
		if told || err != nil {
			return err
		}
		return o.tellOwner(r, operation.NoticeOf(noticeLeave, r, fmt.Sprintf("The workflow %s waits: %s", r.Workflow, reading.LeaveReason(h.Leave))))
	})
}

// releaseAllowed makes due what waits behind the steps of each workflow that has leave now. The rules decide what follows
// when the clock carries it out, as they are then. A step goes on waiting while no file has it, since the file may come
// back, as after the checkout of another branch.
func (o *op) releaseAllowed() error {
	set, err := o.rules(o.View)
	if err != nil {
		return err
	}
	var ids []schemas.ID
	for id, err := range o.AwaitingLeave() {
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	released := schemas.ID(0)
	for _, id := range ids {
		r := reading.Readable(o.View, id)
		if r == nil || !set.HasStep(stepOf(o.View, r)) {
			continue
		}
		err := o.ActingAs(operation.ClockCaller, func() error {
			return o.Change(&operation.Happening{Action: life.Defer}, r, func(now *store.Record) {
				for i := range now.Owes {
					now.Owes[i].Leave = ""
				}
			})
		})
		if err != nil {
			return err
		}
		released = id
	}
	if released != 0 {
		o.GoesOn(released) // one transaction applies many of those that are due, and the next calls the rest
	}
	return nil
}

// waitingFile is the file of a workflow that waits for leave, "" for any other.
func (s ruleSet) waitingFile(plan string) string {
	if s.FileOf(plan) != "" {
		return ""
	}
	return s.waiting.FileOf(plan)
}

// stepOf is the step that a handoff is, as PLAN/STEP; "" for none and for what cannot be read.
func stepOf(v *store.View, r *store.Record) string {
	h, _ := reading.Handoff(v, r) // empty then
	return h.Metadata.Step
}

// fireAfterLeave finds what the rules of its workflow send after a step whose end waited for leave. What somebody went on
// with meanwhile is left to them.
func (o *op) fireAfterLeave(h *operation.Happening, debt store.Debt) error {
	if life.Consequence(debt.Do) != life.SendRouted {
		return nil
	}
	o.Timed = false // a person caused it, and [reading.MostLooked] bounds it
	set, err := o.rules(o.View)
	if err != nil || h.Now.Successor != 0 || h.Now.Dismissed != 0 {
		return err
	}
	facts, err := factsOf(o.View, h.Now)
	if err != nil {
		return err
	}
	on := string(h.Now.Status)
	h.Leave = set.awaits(on, facts)
	if h.Opened = debt.Opened; h.Opened {
		on = ""
	}
	sends, err := o.fired(h, set, on, facts)
	h.Sends = slices.DeleteFunc(sends, func(s rules.Sends) bool { return s.Step == "" })
	return err
}
