package operation

import (
	"cmp"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// ToldFirst tells whether a handoff is reserved for one agent of its pool because the server told that agent first, and
// not because the agent asked a question.
func ToldFirst(r *store.Record) bool {
	return r.Reserved != 0 && len(r.Told) > 0 && r.Box == schemas.Address(r.Told[len(r.Told)-1])
}

// atOnce is the Wakes of a record that is due whatever the clock says: a clock that was set back must not hide it.
const atOnce store.Time = 1

// Wakes returns the next time at which the clock changes a record, zero for never: the earliest of its timers. The
// store has no other index of time. A record with deferred duties is due at once, also after it ended.
func Wakes(r *store.Record) store.Time {
	switch {
	case slices.ContainsFunc(r.Owes, func(d store.Debt) bool { return d.Leave == "" }):
		return atOnce
	case len(r.Owes) > 0:
		return store.LeaveTime
	case r.Status.Ended():
		return 0
	}
	times := timers(r)
	slices.Sort(times[:])
	return cmp.Or(times[:]...) // the first that is set
}

// Timer is one of the times of a record at which the clock acts. If several are over, their order counts: a deadline
// ends the handoff, and all its other timers.
type Timer int

const (
	Deadline Timer = iota
	LeaseEnd
	Quiet     // the sender is notified of a silent holder; it does not run while the holder waits for an answer
	Reserved  // the reservation for its asker ends
	Unclaimed // no agent claimed it in time, so it goes to others
	Delay     // the delay before claims ends; the handoff is in no mailbox until then
)

// timers returns the times of a record in the order of [Timer], zero for a timer that does not run.
func timers(r *store.Record) [Delay + 1]store.Time {
	at := [...]store.Time{r.Deadline, r.Lease, r.SilentAt, r.Reserved, r.UnclaimedAt, r.NotBefore}
	if r.Status == schemas.Waiting {
		at[Quiet] = 0
	}
	if r.Box != "" || r.Status != schemas.Pending {
		at[Delay] = 0
	}
	return at
}

// VoidToken voids the claim token of a record and remembers it. So the server can tell a former holder from a stranger:
// it tells the first that its claim is lost, and keeps its result as late; it tells the second that the token is wrong.
func VoidToken(r *store.Record) {
	if r.Token == "" {
		return
	}
	r.Voided = append([]string{r.Token}, r.Voided...)
	r.Voided = r.Voided[:min(len(r.Voided), voidedKept)]
	r.Token = ""
}

// voidedKept is how many tokens of earlier claims a record keeps. A holder with an older token is told that its token
// is wrong, and the server does not keep its late result.
const voidedKept = 8

// DropClaim ends a claim without charging an attempt: it voids the token, so that a late result is known as one, clears
// the holder, and closes open questions. The next claim counts as the same attempt. The record must be a copy that is
// not committed yet.
func DropClaim(r *store.Record) {
	VoidToken(r)
	r.Holder, r.HolderID, r.Conn, r.Via, r.Left = "", "", "", "", false
	r.Lease, r.Reserved, r.Ask, r.Asker, r.Permission, r.Uncharged, r.Box = 0, 0, 0, "", false, true, r.To
}
