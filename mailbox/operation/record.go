package operation

import (
	"cmp"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// ToldFirst tells whether a handoff is kept for one agent of its pool because that one was told first, and not because
// it asked.
func ToldFirst(r *store.Record) bool {
	return r.Reserved != 0 && len(r.Told) > 0 && r.Box == schemas.Address(r.Told[len(r.Told)-1])
}

// atOnce is the Wakes of what is due whatever the clock says: a clock that was set back must not hide it.
const atOnce store.Time = 1

// Wakes is the next time at which the clock changes a record, zero for never. It is the only index of time: whatever
// ends by itself is found by it. A record that still owes something is due at once, also when it has ended. Of its
// times the earliest counts.
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

// Timer is one of the times of a record, at which the clock does something. Where several are over their order counts: a
// deadline ends the handoff, and all other times with it.
type Timer int

const (
	Deadline Timer = iota
	LeaseEnd
	Quiet     // after which the sender hears of a silent holder, who may be silent while it waits for an answer
	Reserved  // for its asker
	Unclaimed // after which it goes to others
	Delay     // before which nobody may claim; it counts while the handoff is in no mailbox because of it
)

// timers are the times of a record in the order of [Timer], zero for what does not run.
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

// VoidToken ends a claim token and remembers it, to tell its holder apart from a stranger: the first is told that its
// claim is lost and keeps its result as late, the second that its token is wrong.
func VoidToken(r *store.Record) {
	if r.Token == "" {
		return
	}
	r.Voided = append([]string{r.Token}, r.Voided...)
	r.Voided = r.Voided[:min(len(r.Voided), voidedKept)]
	r.Token = ""
}

// voidedKept is how many tokens of earlier claims are known, to tell a lost claim from a wrong token. The holder of one
// that is forgotten is told that its token is wrong, and its result is not kept as late.
const voidedKept = 8

// DropClaim ends a claim without charging it: its token is void and nobody holds the handoff. Questions that were open
// go with it. The token goes to those that are voided, so a late result is known as one. The next claim is no new
// attempt. The record is a copy that is not committed yet.
func DropClaim(r *store.Record) {
	VoidToken(r)
	r.Holder, r.HolderID, r.Conn, r.Via, r.Left = "", "", "", "", false
	r.Lease, r.Reserved, r.Ask, r.Asker, r.Permission, r.Uncharged, r.Box = 0, 0, 0, "", false, true, r.To
}
