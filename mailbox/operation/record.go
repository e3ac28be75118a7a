package operation

import (
	"cmp"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// IsReservedForFirstNotified reports whether a handoff is reserved for one agent of its pool because the server notified that agent
// before the rest of the pool. It returns false if the handoff is reserved because that agent asked a question about
// it.
func IsReservedForFirstNotified(r *store.Record) bool {
	return r.Reserved != 0 && len(r.Told) > 0 && r.Box == schemas.Address(r.Told[len(r.Told)-1])
}

// dueAtOnce is the time that [NextChangeTime] returns for a record that is due regardless of the clock. It lies far in the past, so
// the record is due even if the clock was set back.
const dueAtOnce store.Time = 1

// NextChangeTime returns the next time at which a record has to change because of time: the earliest of its timers, or zero if
// no timer runs. The store indexes records by this time only. A record with deferred consequences is due at once, also
// if the handoff has ended. If these consequences wait for a person's permission, Wakes returns [store.LeaveTime].
func NextChangeTime(r *store.Record) store.Time {
	switch {
	case slices.ContainsFunc(r.Owes, func(d store.OpenConsequence) bool { return d.Leave == "" }):
		return dueAtOnce
	case len(r.Owes) > 0:
		return store.LeaveTime
	case r.Status.Ended():
		return 0
	}
	times := timerEnds(r)
	slices.Sort(times[:])
	return cmp.Or(times[:]...) // the first that is set
}

// Timer is one of the times at which a record changes by itself, for example the end of its lease. If several timers
// are over, the one that comes first in this list acts first: a deadline ends the handoff, and so all its other timers.
type Timer int

const (
	Deadline Timer = iota
	LeaseEnd
	Quiet     // the sender is notified of a silent holder; it does not run while the holder waits for an answer
	Reserved  // the reservation for its asker ends
	Unclaimed // no agent claimed it in time, so it goes to others
	Delay     // the delay before claims ends; the handoff is in no mailbox until then
)

// timerEnds returns the times of a record in the order of [Timer], zero for a timer that does not run.
func timerEnds(r *store.Record) [Delay + 1]store.Time {
	at := [...]store.Time{r.Deadline, r.Lease, r.SilentAt, r.Reserved, r.UnclaimedAt, r.NotBefore}
	if r.Status == schemas.Waiting {
		at[Quiet] = 0
	}
	if r.Box != "" || r.Status != schemas.Pending {
		at[Delay] = 0
	}
	return at
}

// VoidToken makes the claim token of a record void and keeps it in a list of void tokens. So the server can tell a
// former holder from a stranger. It tells the former holder that its claim is lost, and keeps its result as a late
// outcome. It tells a stranger that the token is wrong.
func VoidToken(r *store.Record) {
	if r.Token == "" {
		return
	}
	r.Voided = append([]string{r.Token}, r.Voided...)
	r.Voided = r.Voided[:min(len(r.Voided), voidedKept)]
	r.Token = ""
}

// voidedKept is how many tokens of earlier claims a record keeps. A former holder with an older token gets the answer
// that its token is wrong, and the server does not keep its late result.
const voidedKept = 8

// DropClaim ends a claim without counting it as an attempt: the next claim has the same attempt number. It voids the
// claim token, so that the server recognises a late result of the former holder, clears the holder, and closes open
// questions. r must be a copy that is not committed yet.
func DropClaim(r *store.Record) {
	VoidToken(r)
	r.Holder, r.HolderID, r.Conn, r.Via, r.Left = "", "", "", "", false
	r.Lease, r.Reserved, r.Ask, r.Asker, r.Permission, r.Uncharged, r.Box = 0, 0, 0, "", false, true, r.To
}
