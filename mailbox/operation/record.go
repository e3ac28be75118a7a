package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// IsReservedForFirstNotified reports whether a handoff is reserved for one agent of its pool because the server
// notified that agent before the rest of the pool. It returns false if the handoff is reserved for the agent that asked
// a question about the handoff.
func IsReservedForFirstNotified(r *store.Record) bool {
	return r.Reserved != 0 && r.Asker == "" && len(r.Told) > 0 && r.Box == schemas.Address(r.Told[len(r.Told)-1])
}

// dueAtOnce is the time that [NextChangeTime] returns for a record that is due now. The time lies far in the past, so
// the record is due even if the clock was set back.
const dueAtOnce store.Time = 1

// NextChangeTime returns the next time at which a record has to change because of time: the earliest end of its timers,
// or zero if no timer runs. The store indexes records by this time. A record with deferred consequences is due at once,
// also after the handoff has ended. If the consequences wait until a person permits them, NextChangeTime returns
// [store.PermissionWakeTime].
func NextChangeTime(r *store.Record) store.Time {
	switch {
	case slices.ContainsFunc(r.Owes, func(d store.OpenConsequence) bool { return d.Leave == "" }):
		return dueAtOnce
	case len(r.Owes) > 0:
		return store.PermissionWakeTime
	case r.Status.HasEnded():
		return 0
	}
	times := timerEnds(r)
	slices.Sort(times[:])
	return cmp.Or(times[:]...) // the first that is set
}

// Timer is one of the timers after which the clock changes a record, for example its lease. If several timers have
// ended, the first in this list acts first.
type Timer int

const (
	Deadline Timer = iota
	LeaseEnd
	SilenceNotice  // the sender is notified of a silent holder; it does not run while the holder waits for an answer
	ReservationEnd // the reservation for one agent of the pool ends
	Unclaimed      // no agent claimed it in time, so it goes to others
	DelayEnd       // the delay before claims ends; the handoff is in no mailbox until then
)

// timerEnds returns the end of each timer of a record in the order of [Timer], and zero for a timer that does not run.
func timerEnds(r *store.Record) [DelayEnd + 1]store.Time {
	at := [...]store.Time{r.Deadline, r.Lease, r.SilentAt, r.Reserved, r.UnclaimedAt, r.NotBefore}
	if r.Status == schemas.Waiting {
		at[SilenceNotice] = 0
	}
	if r.Box != "" || r.Status != schemas.Pending {
		at[DelayEnd] = 0
	}
	return at
}

// VoidToken makes the claim token of a record void and adds the token to the record's list of void tokens. By this list
// the server recognises a former holder: it tells the former holder that the claim is lost, and stores the result as a
// late outcome. A caller with an unknown token gets the error that the token is wrong.
func VoidToken(r *store.Record) {
	if r.Token == "" {
		return
	}
	r.Voided = append([]string{r.Token}, r.Voided...)
	r.Voided = r.Voided[:min(len(r.Voided), maxVoidTokens)]
	r.Token = ""
}

// maxVoidTokens is the number of tokens of earlier claims that a record keeps. A former holder with an older token gets
// the error that the token is wrong, and the server does not store its late result.
const maxVoidTokens = 8

// GiveBackUnread releases a claim of which perhaps nobody read the answer, see [LeasesAt.IsUnread]. It deletes the
// receipt of the wait, so that a later look claims anew. A holder that did read the answer claims the handoff again.
func (o *Op) GiveBackUnread(r *store.Record) error {
	holder := o.By
	holder.Agent = r.Holder
	return cmp.Or(o.DeleteReceipt(store.RequestReceiptKey(r.Unread)), o.RunAs(holder, func() error {
		return o.ChangeRecord(&RecordChange{Action: life.Release, Text: "Nobody read the answer of this claim."}, r, DropClaim)
	}))
}

// OfferToAll offers a reserved handoff to all agents that qualify, see [life.Unreserve]. Due is the time at which the
// reservation ended by itself, zero if it did not.
func (o *Op) OfferToAll(r *store.Record, due store.Time) error {
	return o.ChangeRecord(&RecordChange{Action: life.Unreserve, Due: due}, r, func(now *store.Record) { now.Reserved, now.Box = 0, now.To })
}

// EndFirstOffers offers the work of pools that is reserved for an agent, because it was told first, to all agents that
// qualify.
func (o *Op) EndFirstOffers(a schemas.Agent) error {
	for id, err := range o.ClaimableHandoffs(schemas.Address(a)) {
		r := o.UsableRecord(id)
		if err == nil && r != nil && IsReservedForFirstNotified(r) {
			err = o.OfferToAll(r, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DropClaim ends a claim without counting the claim as an attempt: the next claim has the same attempt number. It voids
// the claim token, clears the holder, and closes open questions. r must be a copy that is not committed yet.
func DropClaim(r *store.Record) {
	VoidToken(r)
	r.Holder, r.HolderID, r.Conn, r.Via, r.Left, r.Unread = "", "", "", "", false, ""
	r.Lease, r.Reserved, r.Ask, r.Asker, r.Permission, r.Uncharged, r.Box = 0, 0, 0, "", false, true, r.To
}
