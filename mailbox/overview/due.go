package overview

import (
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
		add(r.UnclaimedAt, "nobody claimed it, so no_takers applies: "+r.NoTakers)
		if r.Status == schemas.Pending && r.Box == "" && !r.IsBlocked() {
			add(r.NotBefore, "it can be claimed")
		}
		if r.Lease != r.Deadline && (r.Conn == "" || l.Reader.IsConnectionGone(r)) {
			add(r.Lease, fmt.Sprintf("it is taken from %s, unless %s makes a call", r.Holder, r.Holder))
		}
	}
}
