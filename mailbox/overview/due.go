package overview

import (
	"cmp"
	"fmt"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// addDueHandoffs adds the changes that time brings. It reads the [MaxScanned] handoffs that change first. A handoff may
// have several rows, for example for its lease and its deadline. Leases of connected holders have none, because they are
// renewed.
func (l *overviewBuilder) addDueHandoffs() {
	clear(l.seen) // the other parts may have the handoff, too
	for r := range l.unseenRecords(l.DueHandoffs(store.PermissionWakeTime.Time().Add(-time.Second)), l.scanLimit, &l.due) {
		add := func(at store.Time, then string) {
			if at.Time().After(l.Now) {
				l.addConcern(&l.due, schemas.ConcernDue, r, r.Created, then).Due = at.Time()
			}
		}
		add(r.Deadline, "it times out, because its deadline is over")
		add(r.Reserved, fmt.Sprintf("others than %s may claim it, too", r.Box))
		add(r.UnclaimedAt, "nobody claimed it, so no_takers applies: "+cmp.Or(r.NoTakers, "wait"))
		if r.Status == schemas.Pending && r.Box == "" && !r.IsBlocked() {
			add(r.NotBefore, "it can be claimed")
		}
		if r.Lease != r.Deadline && (r.Conn == "" || l.Reader.IsConnectionGone(r)) {
			add(r.Lease, fmt.Sprintf("it is taken from %s, unless %s %s", r.Holder, r.Holder, renewal(r)))
		}
	}
}

// renewal says in a few words what keeps a claim whose holder has no open connection. Other calls of a holder, such as
// claims of other handoffs, renew no lease. A command that only reads does not renew it for sure: its process forgets it.
func renewal(r *store.Record) string {
	switch {
	case r.Conn != "":
		return "claims it again"
	case r.Via == schemas.ViaCLI:
		return "reports on it"
	}
	return "makes a call about it"
}
