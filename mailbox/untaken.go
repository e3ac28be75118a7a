package mailbox

import (
	"fmt"
	"time"

	"handoff/mailbox/offer"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// untakenAfter is how long work waits to be claimed until what its sender said of that is done. The time is fixed, so
// that a sender need not choose one. The text is said to senders and has to agree with it.
const (
	untakenAfter = 15 * time.Minute
	untakenTime  = "15 minutes"
)

// timeTaking sets when what the sender said of work that nobody takes is done: it counts from when the work may be
// claimed, and anew where it comes back or goes to another. While an answer is kept for its asker it does not count,
// and while one agent of a pool was told first it does.
//
// It is a rule before each change, so no action has to think of the time. Other changes of a handoff that may be
// claimed, such as an amended text, leave the time as it is: amending does not put it off.
func (o *op) timeTaking(h *operation.Happening) error {
	was, now := h.Was, h.Now
	switch {
	case now.NoTakers == "" || !operation.Offered(now) || now.Reserved != 0 && !operation.ToldFirst(now):
		now.Untaken = 0
	case now.Untaken == 0 || was.To != now.To:
		now.Untaken = store.At(o.Now.Add(untakenAfter))
	}
	return nil
}

// untaken does what the sender said of work that nobody took in time, see [life.Untaken]. Time that the machine slept
// does not count.
//
// It runs as the clock, see [op.lapsed]. It happens once for each wish: the wish is taken off the record, and an
// amendment may set another. The work keeps its id, its attempts and its place in the workflow, since nobody failed: it
// only changes for whom it is. The new address is not checked as at a send, because the clock can be refused nothing.
func (o *op) untaken(r *store.Record) error {
	if end := o.Leases.Prolonged(o.View, r, r.Untaken); end > store.At(o.Now) {
		return o.Change(&operation.Happening{Action: life.Renew, Due: r.Untaken}, r, func(now *store.Record) { now.Untaken = end })
	}
	to, then, err := o.takesInstead(r)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Nobody took it from %s within %s: %s.", r.To, untakenTime, then)
	said := schemas.UpdateIn{To: string(to), Note: text}
	return o.Change(&operation.Happening{Action: life.Untaken, Due: r.Untaken, Text: text, Said: said}, r, func(now *store.Record) {
		if now.NoTakers, now.Untaken = "", 0; to != r.To {
			readdress(now, to)
			now.Box = to
		}
	})
}

// takesInstead is who may claim work that nobody took, as its sender said, and what that means in words. The address is
// that of the record where the work waits on.
//
// For return it is the sender, or the owner of the workflow for work that the rules sent, see [reading.Principal]. For
// generalist nobody counts who declined the work; where none is left, the address stays and the sender is told.
func (o *op) takesInstead(r *store.Record) (to schemas.Address, then string, err error) {
	switch r.NoTakers {
	case "return":
		back, err := reading.Principal(o.View, r)
		to = schemas.Address(back)
		return to, fmt.Sprintf("it is for %s again, to claim, to give to another or to cancel", back), err
	case "human":
		return schemas.Address(schemas.Human), "it is for human now", nil
	case "generalist":
		to = schemas.Address("capability:" + roster.Anything)
		open := r.Clone()
		open.To = to
		if why, err := o.Offers().Nobody(&open, offer.Member); why == "" || err != nil {
			return to, "agents that accept anything may take it now", err
		}
		return r.To, "no agent is known that accepts anything, so it waits on", nil
	}
	return r.To, "it waits on", nil
}

// untakenSoon warns at a send of what happens where nobody claims the work; nil where the sender said nothing of that.
func untakenSoon(r *store.Record) []string {
	if r.NoTakers == "" {
		return nil
	}
	then := map[string]string{
		"wait": "you are told", "return": "it comes back to you", "human": "it goes to human",
		"generalist": "agents that accept anything may take it",
	}[r.NoTakers]
	return []string{fmt.Sprintf("where nobody claims it within %s, %s", untakenTime, then)}
}
