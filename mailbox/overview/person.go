package overview

import (
	"fmt"
	"iter"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// questions finds what waits for an answer: of the person, or of an agent.
func (l *look) questions() {
	for r := range l.first(l.Oldest(store.InState(schemas.Waiting), 0), Looked, &l.needs) {
		to, err := reading.Asked(l.View, r)
		switch {
		case err != nil:
			l.err = err
			return
		case to == schemas.Human:
			l.add(&l.needs, schemas.ConcernQuestion, r, r.Touched, "")
		case l.here[to]:
			l.add(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
		default:
			l.add(&l.stuck, schemas.ConcernUnanswered, r, r.Touched, fmt.Sprintf("%s is not here", to))
		}
	}
}

// NoticeApproval is the kind of the notices by which a person is asked for approval.
const NoticeApproval = "approval"

// approvals finds what waits for approval among what is pending. Where that is too much to look at, what the person
// sent and the notices lead to the rest: of what others send, the person was told. Only the record says whether it
// still waits.
func (l *look) approvals() {
	var pending part
	l.approvalsAmong(l.Newest(store.InState(schemas.Pending), 0), &pending)
	if pending.early {
		l.approvalsAmong(l.Newest(store.SentBy(schemas.Human), 0), &l.needs)
		l.approvalsAmong(l.noticed(), &l.needs)
	}
}

func (l *look) approvalsAmong(ids iter.Seq2[schemas.ID, error], ended *part) {
	for r := range l.first(ids, Looked, ended) {
		if r.NeedsApproval && r.Status == schemas.Pending {
			l.add(&l.needs, schemas.ConcernApproval, r, r.Created, "")
		}
	}
}

// noticed yields of what the person was told, newest first: the handoffs that were to be approved, and else none.
func (l *look) noticed() iter.Seq2[schemas.ID, error] {
	return func(yield func(schemas.ID, error) bool) {
		for n, err := range l.Notices(schemas.Human, 0) {
			if n.Kind != NoticeApproval {
				n.About = 0 // which no handoff has
			}
			if !yield(n.About, err) || err != nil {
				return
			}
		}
	}
}

// failures finds what ended badly in the last days and with which nobody goes on: no handoff took its place, and
// nothing was sent in its workflow since. What a person refused is none.
func (l *look) failures() {
	for _, state := range []schemas.Status{schemas.Failed, schemas.TimedOut, schemas.Rejected} {
		for r := range l.first(l.Newest(store.InState(state), 0), Looked/2) {
			refused := r.Status == schemas.Rejected && r.Result == 0
			if r.Successor != 0 || refused || l.Now.Sub(r.Ended.Time()) > recent {
				continue
			}
			latest := r
			for other := range l.first(l.Newest(store.InWorkflow(r.Workflow), 0), 1) {
				latest = other
			}
			if latest.ID == r.ID || latest.Created < r.Ended {
				l.add(&l.needs, schemas.ConcernFailure, r, r.Ended, "")
			}
		}
	}
}

// workForHuman finds what the person may claim, and what the person holds.
func (l *look) workForHuman() {
	for r := range l.first(l.Queue(schemas.Address(schemas.Human)), Looked, &l.needs) {
		kind := schemas.ConcernWork
		if parent := reading.Readable(l.View, r.Parent); parent != nil && escalated(parent, r) {
			kind = schemas.ConcernEscalation
		}
		l.add(&l.needs, kind, r, r.Created, "")
	}
	for r := range l.first(l.Oldest(store.HeldBy(schemas.Human), 0), Looked) {
		l.add(&l.needs, schemas.ConcernYours, r, r.Claimed, "")
	}
}

// escalated tells whether r was sent to a person to decide about parent.
func escalated(parent, r *store.Record) bool {
	return parent.Successor == r.ID && parent.Rollback != r.ID &&
		(parent.Status == schemas.Failed || parent.Status == schemas.TimedOut)
}
