package mailbox

import (
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// endAfterDeadline ends a handoff whose deadline passed.
func (o *op) endAfterDeadline(r *store.Record) error {
	return o.timeOutHandoff(life.Expire, r, r.Deadline, reading.DeadlineReason(r))
}

// timeOutHandoff ends a handoff whose deadline has passed or whose attempts are used up, see [life.Expire] and [life.Exhaust].
// The event has the due time, and also the time at which the server noticed that it had passed.
func (o *op) timeOutHandoff(a life.Action, r *store.Record, due store.Time, why string) error {
	text := strings.ToUpper(why[:1]) + why[1:] + "."
	return o.ChangeRecord(&operation.RecordChange{Action: a, Due: due, Text: text, Why: operation.EndReason{Reason: why}}, r, o.EndRecord)
}

// endLease decides about a claim whose lease ended. The lease is extended if the connection that claimed is still open
// or the machine slept, see [operation.LeasesAt.RenewedLeaseEnd]. Otherwise the handoff ends if this was the last attempt,
// or can be claimed again. The token of the old holder stays good until the next claim, because its finished work
// should not be thrown away. Therefore the record still names the old holder and its connection.
//
// An extended lease is an event, too. If the work is offered again, the ended attempt stays counted, and the next claim
// counts as one more. The work is offered only some time after the lease ended, see [backoff].
func (o *op) endLease(r *store.Record) error {
	if end := o.Leases.RenewedLeaseEnd(o.View, r); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.Lease}, r, func(now *store.Record) {
			now.Lease, now.SilentAt = end, o.Leases.SilenceNoticeAt(r)
		})
	}
	if r.Attempt >= r.MaxAttempts {
		return o.timeOutHandoff(life.Exhaust, r, r.Lease, reading.AttemptsReason(r))
	}
	return o.ChangeRecord(&operation.RecordChange{Action: life.Requeue, Due: r.Lease}, r, func(now *store.Record) {
		now.Lease, now.Box = 0, r.To
		if again := r.Lease.Time().Add(backoff(r.Attempt)); again.After(o.Now) {
			now.Box, now.NotBefore = "", store.TimeOf(again)
		}
	})
}

// backoff returns how long work rests after a failed attempt until it is offered again: 10 seconds after the first
// attempt, twice as long after each further one, 10 minutes at most. Without this rest, work that crashes each holder,
// or that needs a service that is down, would use up its attempts at once.
func backoff(attempt int) time.Duration {
	return min(10*time.Second<<max(attempt-1, 0), 10*time.Minute)
}

// endReservation offers an answered handoff to all agents that qualify, because the agent that asked did not claim it again
// in time, see [life.Unreserve]. Time that the machine slept does not count. The next claim still does not count as a
// new attempt.
func (o *op) endReservation(r *store.Record) error {
	if end := o.Leases.EndExtendedBySleep(o.View, r, r.Reserved); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.Reserved}, r, func(now *store.Record) { now.Reserved = end })
	}
	return o.ChangeRecord(&operation.RecordChange{Action: life.Unreserve, Due: r.Reserved}, r, func(now *store.Record) {
		now.Reserved, now.Box = 0, r.To
	})
}

// endDelay offers a handoff whose delay is over by putting it into its mailbox. If the handoff also waits for approval
// or for dependencies, it still cannot be claimed.
func (o *op) endDelay(r *store.Record) error {
	return o.ChangeRecord(&operation.RecordChange{Action: life.Ready, Due: r.NotBefore}, r, func(now *store.Record) {
		now.Box, now.NotBefore = r.To, 0
	})
}

// initialSilentAt returns the value that [op.takeHandoff] stores in the field SilentAt of a claimed handoff: the time of the
// claim. Later [operation.LeasesAt.RestartLease] replaces it by the time at which the sender is told that the holder gives no
// sign. It returns zero if no notice is needed: a person may take any time, and a sender that holds its own work knows.
// For work that rules sent, the sender is the owner of the workflow, see [reading.AgentToNotify].
func (o *op) initialSilentAt(r *store.Record) (store.Time, error) {
	to, err := reading.AgentToNotify(o.View, r)
	if r.Holder == to || r.Holder == schemas.Human {
		return 0, err
	}
	return store.TimeOf(o.Now), err
}

// tellSenderOfSilence tells the sender of a holder that has been silent for long, see [life.Silent]. If the holder gave a sign
// since, or the machine slept, it sets a later time for the notice instead.
//
// The clock runs tellSenderOfSilence while the handoff is accepted or working. The holder keeps its lease and its token. The
// sender is told once for each claim: tellSenderOfSilence clears SilentAt, and a new claim sets it again.
func (o *op) tellSenderOfSilence(r *store.Record) error {
	if end := o.Leases.SilenceNoticeAt(r); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.SilentAt}, r, func(now *store.Record) { now.SilentAt = end })
	}
	text := fmt.Sprintf("%s gives no sign since %s and still holds it. ", r.Holder, o.Leases.LastHeard(r).UTC().Format("15:04 MST"))
	switch said, err := reading.LastReport(o.View, r); { // the sender is told even if the report cannot be read
	case said != "":
		text += "The last report: " + said + " "
	case err == nil:
		text += "It reported nothing. "
	}
	text += messageAdvice(r.Holder).String()
	return o.ChangeRecord(&operation.RecordChange{Action: life.Silent, Due: r.SilentAt, Text: text}, r, func(now *store.Record) { now.SilentAt = 0 })
}

// capFutureTimes is for times that a clock wrote while it was wrong and in the future. It reduces each time of a record to
// the latest time that the server could have set now, and reports whether it changed one. It leaves deadlines, and
// delays that a sender set while the clock was right.
func (o *op) capFutureTimes(r *store.Record) (changed bool) {
	cut := func(at *store.Time, long time.Duration) {
		if most := store.TimeOf(o.Now.Add(long)); *at > most {
			*at, changed = most, true
		}
	}
	switch now := store.TimeOf(o.Now); {
	case r.Created > now && r.NotBefore > r.Created:
		cut(&r.NotBefore, r.NotBefore.Time().Sub(r.Created.Time()))
	case r.Touched > now:
		cut(&r.NotBefore, backoff(r.Attempt))
	}
	cut(&r.Reserved, reservation)
	cut(&r.UnclaimedAt, unclaimedAfter)
	cut(&r.Touched, 0)
	cut(&r.Lease, o.Leases.MaxLeaseLength(r))
	cut(&r.SilentAt, o.Leases.SilenceLimit(r))
	return changed
}

// The text is the same time in warnings and notices.
const (
	// unclaimedAfter is how long work may stay unclaimed before the server applies the sender's no_takers. The time is
	// fixed, so that a sender need not choose one. unclaimedText is the same time in texts for senders.
	unclaimedAfter = 15 * time.Minute
	unclaimedText  = "15 minutes"
)

// setUnclaimedTime sets the time at which [op.redirectUnclaimed] applies the sender's no_takers. The wait begins when
// the work becomes claimable, and begins anew when the work comes back or gets another recipient. It does not run while
// an answered handoff is reserved for the agent that asked. It does run while work of a pool is offered to one agent
// first.
//
// setUnclaimedTime is a hook that runs before each change, so no action has to set the time. Other changes of a
// claimable handoff, such as an amended text, leave the time as it is.
func (o *op) setUnclaimedTime(h *operation.RecordChange) error {
	was, now := h.Was, h.Now
	switch {
	case now.NoTakers == "" || !now.IsClaimable() || now.Reserved != 0 && !operation.IsReservedForFirstNotified(now):
		now.UnclaimedAt = 0
	case now.UnclaimedAt == 0 || was.To != now.To:
		now.UnclaimedAt = store.TimeOf(o.Now.Add(unclaimedAfter))
	}
	return nil
}

// redirectUnclaimed applies the sender's no_takers to work that no agent has claimed in time, see [life.NotTaken]. Time
// that the machine slept does not count.
//
// The clock runs redirectUnclaimed, see [operation.Rules]. It runs once for a handoff, because it removes no_takers
// from the record; an amendment may set no_takers again. The work keeps its id, its attempts and its place in the
// workflow, since no agent failed; only its recipient changes. The new address is not checked as for a send, because no
// caller is there to get an error.
func (o *op) redirectUnclaimed(r *store.Record) error {
	if end := o.Leases.EndExtendedBySleep(o.View, r, r.UnclaimedAt); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.UnclaimedAt}, r, func(now *store.Record) { now.UnclaimedAt = end })
	}
	to, then, err := o.recipientOfUnclaimedWork(r)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Nobody took it from %s within %s: %s.", r.To, unclaimedText, then)
	said := schemas.UpdateIn{To: string(to), Note: text}
	return o.ChangeRecord(&operation.RecordChange{Action: life.NotTaken, Due: r.UnclaimedAt, Text: text, Content: said}, r, func(now *store.Record) {
		if now.NoTakers, now.UnclaimedAt = "", 0; to != r.To {
			changeRecipient(now, to)
			now.Box = to
		}
	})
}

// recipientOfUnclaimedWork returns the recipient of unclaimed work by the sender's no_takers, and a text that says so. If the work
// keeps its recipient, recipientOfUnclaimedWork returns the address of the record.
//
// If no_takers is return, the new recipient is the sender, or the owner of the workflow for work that rules sent, see
// [reading.AgentToNotify]. If no_takers is generalist, the work goes to the agents that accept every type and have not
// declined it; if there is none, the recipient stays and the sender is told.
func (o *op) recipientOfUnclaimedWork(r *store.Record) (to schemas.Address, then string, err error) {
	switch r.NoTakers {
	case "return":
		back, err := reading.AgentToNotify(o.View, r)
		to = schemas.Address(back)
		return to, fmt.Sprintf("it is for %s again, to claim, to give to another or to cancel", back), err
	case "human":
		return schemas.Address(schemas.Human), "it is for human now", nil
	case "generalist":
		to = schemas.Address("capability:" + roster.Anything)
		open := r.Clone()
		open.To = to
		if why, err := o.Offers().NoTakerReason(&open, offer.Member); why == "" || err != nil {
			return to, "agents that accept anything may take it now", err
		}
		return r.To, "no agent is known that accepts anything, so it waits on", nil
	}
	return r.To, "it waits on", nil
}

// warnOfUnclaimed returns a text for the sender of r that says what will happen to the handoff if no agent claims it in
// time.
func (o *op) warnOfUnclaimed(_ *draft.Draft, r *store.Record) ([]string, error) {
	then := map[string]string{
		"wait": "you are told", "return": "it comes back to you", "human": "it goes to human",
		"generalist": "agents that accept anything may take it",
	}[r.NoTakers]
	return []string{fmt.Sprintf("if nobody claims it within %s, %s", unclaimedText, then)}, nil
}
