package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
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

// timeOutHandoff ends a handoff whose deadline has passed or whose attempts are used up, see [life.Expire] and
// [life.Exhaust]. The event has the due time, next to the time at which the server ended the handoff.
func (o *op) timeOutHandoff(a life.Action, r *store.Record, due store.Time, why string) error {
	text := strings.ToUpper(why[:1]) + why[1:] + "."
	return o.ChangeRecord(&operation.RecordChange{Action: a, Due: due, Text: text, Why: operation.EndReason{Reason: why}}, r, o.EndRecord)
}

// endLease decides about a claim whose lease ended. The lease is extended if the connection that claimed is still open
// or the machine slept, see [operation.LeasesAt.RenewedLeaseEnd]. Otherwise the handoff ends after its last attempt, or
// is offered again after the time [backoff]. The token of the old holder stays good until the next claim, because
// finished work should not be thrown away. The ended attempt stays counted. The exception is a claim whose connection is
// gone and whose answer perhaps nobody read, see [operation.Op.GiveBackUnread].
func (o *op) endLease(r *store.Record) error {
	if end := o.Leases.RenewedLeaseEnd(o.View, r); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.Lease}, r, func(now *store.Record) {
			now.Lease, now.SilentAt = end, o.Leases.SilenceNoticeAt(r)
		})
	}
	if r.Left && o.Leases.IsUnread(r) {
		return o.endUnreadClaim(r)
	}
	if r.Attempt >= r.MaxAttempts {
		return o.timeOutHandoff(life.Exhaust, r, r.Lease, reading.AttemptsUsedUpReason(o.View, r))
	}
	return o.ChangeRecord(&operation.RecordChange{Action: life.Requeue, Due: r.Lease}, r, func(now *store.Record) {
		now.Lease, now.Box = 0, r.To
		if again := r.Lease.Time().Add(backoff(r.Attempt)); again.After(o.Now) {
			now.Box, now.NotBefore = "", store.TimeOf(again)
		}
	})
}

// endUnreadClaim gives back an unread claim whose connection is gone. If its holder acts over another connection, the
// session was resumed, and the claim lasts as long as any other without its connection.
func (o *op) endUnreadClaim(r *store.Record) error {
	if !o.here.IsActing(r.Holder) {
		return o.GiveBackUnread(r)
	}
	return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.Lease}, r, func(now *store.Record) {
		now.Lease, now.Unread = store.TimeOf(r.Lease.Time().Add(operation.Grace-operation.UnreadGrace)), ""
	})
}

// backoff returns the pause between a failed attempt and the next offer of the work: 10 seconds after the first
// attempt, twice as long after each further attempt, and 10 minutes at most. Without the pause, work that crashes each
// holder would use up its attempts at once.
func backoff(attempt int) time.Duration {
	return min(10*time.Second<<max(attempt-1, 0), 10*time.Minute)
}

// endReservation offers a reserved handoff to all agents that qualify, see [life.Unreserve]. The agent that asked, or
// that was offered the work first, did not claim it in time. Time that the machine slept does not count.
func (o *op) endReservation(r *store.Record) error {
	if end := o.Leases.EndExtendedBySleep(o.View, r, r.Reserved); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.Reserved}, r, func(now *store.Record) { now.Reserved = end })
	}
	return o.OfferToAll(r, r.Reserved)
}

// endDelay puts a handoff whose delay is over into its mailbox. If the handoff also waits for approval or for
// dependencies, it still cannot be claimed.
func (o *op) endDelay(r *store.Record) error {
	return o.ChangeRecord(&operation.RecordChange{Action: life.Ready, Due: r.NotBefore}, r, func(now *store.Record) {
		now.Box, now.NotBefore = r.To, 0
	})
}

// initialSilentAt returns the first value of the field SilentAt of a claimed handoff: the time of the claim. Later
// [operation.LeasesAt.RestartLease] replaces it by the time at which the sender is told of a silent holder. The result
// is zero if the holder is a person, who may take any time, or the sender itself.
func (o *op) initialSilentAt(r *store.Record) (store.Time, error) {
	to, err := reading.AgentToNotify(o.View, r)
	if r.Holder == to || r.Holder == schemas.Human {
		return 0, err
	}
	return store.TimeOf(o.Now), err
}

// tellSenderOfSilence tells the sender that the holder has been silent for long, see [life.Silent]. If the holder has
// made a call since, or the machine slept, tellSenderOfSilence sets a later time for the notice instead. The holder
// keeps its lease and its token. The sender is told once for each claim.
func (o *op) tellSenderOfSilence(r *store.Record) error {
	if end := o.Leases.SilenceNoticeAt(r); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.SilentAt}, r, func(now *store.Record) { now.SilentAt = end })
	}
	text := fmt.Sprintf("%s said nothing of it since %s and still holds it. ", r.Holder, o.Leases.HolderLastHeard(r).UTC().Format("15:04 MST"))
	switch said, err := reading.LastReport(o.View, r); { // the sender is told even if the report cannot be read
	case reading.RefusalBeforeSilence(o.View, r) != "":
		text += "Its " + reading.RefusalBeforeSilence(o.View, r) + ". "
	case said != "":
		text += "The last report: " + said + " "
	case err == nil:
		text += "It reported nothing. "
	}
	text += messageAdvice(r.Holder).String()
	return o.ChangeRecord(&operation.RecordChange{Action: life.Silent, Due: r.SilentAt, Text: text}, r, func(now *store.Record) { now.SilentAt = 0 })
}

// CutFutureTimes corrects times of a record that were stored while the machine's clock was wrong and ahead. It reduces
// each time to the latest time that the server could set now, and reports whether a time changed. It does not change
// deadlines. It also does not change delays that a sender set while the clock was right.
func (o *op) CutFutureTimes(r *store.Record) (changed bool) {
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
	cut(&r.Reserved, reservationTime)
	cut(&r.UnclaimedAt, unclaimedTime(r))
	cut(&r.Touched, 0)
	cut(&r.Lease, o.Leases.MaxLeaseLength(r))
	cut(&r.SilentAt, o.Leases.SilenceLimit(r))
	return changed
}

// unclaimedTime returns how long a handoff may stay unclaimed before the server applies the sender's option no_takers:
// 15 minutes if the sender chose no time.
func unclaimedTime(r *store.Record) time.Duration {
	return time.Duration(cmp.Or(r.NoTakersAfter, 15)) * time.Minute
}

// setUnclaimedTime sets the time at which [op.redirectUnclaimed] applies the sender's option no_takers. The wait begins
// when the work becomes claimable, and begins anew when the work gets another recipient. It does not run while an
// answered handoff is reserved for the agent that asked. setUnclaimedTime is a hook that runs before each change, so no
// action has to set the time.
func (o *op) setUnclaimedTime(h *operation.RecordChange) {
	was, now := h.Was, h.Now
	switch {
	case now.NoTakers == "" && now.NoTakersAfter == 0, !now.IsClaimable(), now.Reserved != 0 && !operation.IsReservedForFirstNotified(now):
		now.UnclaimedAt = 0
	case now.UnclaimedAt == 0 || was.To != now.To || was.NoTakersAfter != now.NoTakersAfter:
		now.UnclaimedAt = store.TimeOf(o.Now.Add(unclaimedTime(now)))
	}
}

// redirectUnclaimed applies the sender's option no_takers to work that no agent has claimed in time, see
// [life.NotTaken]. Time that the machine slept does not count. The work keeps its id and its attempts, because no agent
// failed; only its recipient changes. The option is then removed from the record, so it applies once. The new recipient
// is not checked, because no caller is there to get an error.
func (o *op) redirectUnclaimed(r *store.Record) error {
	if end := o.Leases.EndExtendedBySleep(o.View, r, r.UnclaimedAt); end > store.TimeOf(o.Now) {
		return o.ChangeRecord(&operation.RecordChange{Action: life.Renew, Due: r.UnclaimedAt}, r, func(now *store.Record) { now.UnclaimedAt = end })
	}
	to, then, err := o.recipientOfUnclaimedWork(r)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Nobody took it from %s within %.0f minutes: %s.", r.To, unclaimedTime(r).Minutes(), then)
	said := schemas.UpdateIn{To: string(to), Note: text}
	return o.ChangeRecord(&operation.RecordChange{Action: life.NotTaken, Due: r.UnclaimedAt, Text: text, Content: said}, r, func(now *store.Record) {
		if now.NoTakers, now.NoTakersAfter, now.UnclaimedAt = "", 0, 0; to != r.To {
			changeRecipient(now, to)
			now.Box = to
		}
	})
}

// recipientOfUnclaimedWork returns the new recipient of work that no agent claimed, by the sender's option no_takers,
// and a text that explains the choice. For "return" the recipient is the sender, or the owner of the workflow if rules
// sent the work. For "human" it is human. For "generalist" it is the pool of agents that accept every type. If that
// pool has no agent, and for any other value, the recipient stays.
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
		if why, err := o.Offers().NoTakerReason(&open, offer.MemberReasons); why == "" || err != nil {
			return to, "agents that accept anything may take it now", err
		}
		return r.To, "no agent is known that accepts anything, so it waits on", nil
	}
	return r.To, "it waits on", nil
}

// warnOfUnclaimed returns the warning that tells the sender of r which step follows if no agent claims the handoff in
// time, if the sender set no_takers or its time. With the time alone the sender is told, as by the action wait.
func (o *op) warnOfUnclaimed(_ *draft.Draft, r *store.Record) ([]string, error) {
	then := map[string]string{
		"wait": "you are told", "return": "it comes back to you", "human": "it goes to human",
		"generalist": "agents that accept anything may take it",
	}[cmp.Or(r.NoTakers, "wait")]
	if r.NoTakers == "" && r.NoTakersAfter == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("if nobody claims it within %.0f minutes, %s", unclaimedTime(r).Minutes(), then)}, nil
}

// offerLostWork offers work to others that belongs to sessions which ended together with an earlier owner of the
// store: the claims that nobody read, and the work of pools that is reserved for one of these sessions. It does so once
// in the life of the service, when it presumes that none of their connections returns. After an error, the leases and
// the reservations end by themselves.
func (s *Service) offerLostWork(ctx context.Context) {
	if !s.here.Alone && s.Now().Sub(s.here.Started) < operation.UnreadGrace || s.lostOffered.Swap(true) {
		return
	}
	err := s.update(ctx, operation.ClockCaller, func(o *op) error {
		names, err := o.AgentNames()
		if err != nil {
			return err
		}
		for _, a := range names {
			if s.here.IsActing(a) {
				continue
			}
			err = cmp.Or(err, o.EndFirstOffers(a))
			for r, damage := range o.HandoffsHeldBy(a) {
				if damage == nil && r.Conn != "" && o.Leases.IsUnread(r) {
					err = cmp.Or(err, o.GiveBackUnread(r))
				}
			}
		}
		return err
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "work of sessions that are gone stays with them", slog.Any("error", err))
	}
}
