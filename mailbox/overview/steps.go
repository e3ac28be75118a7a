package overview

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// held finds what agents hold and do not ask about. Agents that are not here come first, so that nothing of theirs is
// missed where there is too much to look at. What an agent holds is taken off the bound by the counter of its mailbox,
// whether or not it was found before.
func (l *lister) addHeld() {
	left := MaxScanned
	for _, here := range []bool{false, true} {
		for _, b := range l.boxes {
			agent := schemas.Agent(b.Address)
			if b.Held == 0 || agent == schemas.Human || l.here[agent] != here {
				continue
			}
			for r := range l.records(l.Oldest(store.HeldBy(agent), 0), left, &l.running, &l.stuck) {
				l.addHeldOne(r)
			}
			if left -= b.Held; left < 0 {
				return
			}
		}
	}
}

// holding tells how it goes with what an agent holds. That a connection is gone is known, so it comes before silence,
// which is a guess.
func (l *lister) addHeldOne(r *store.Record) {
	switch {
	case r.Status == schemas.Waiting: // of which the step for questions saw too many
	case l.Reader.ConnectionGone(r):
		l.add(&l.stuck, schemas.ConcernDead, r, r.Claimed, "")
	case l.Now.Sub(l.Reader.LastHeard(r)) >= l.Silence(r):
		l.add(&l.stuck, schemas.ConcernSilent, r, r.Claimed, fmt.Sprintf("%s gives no sign", r.Holder))
	default:
		l.add(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
	}
}

// blocked finds what waits for a handoff that ended and was not done well. It is so since that one ended: from then on
// the waiting was in vain.
func (l *lister) addBlocked() {
	looked := 0
	for id := range untilError(l, l.Dependencies()) {
		if looked++; looked > MaxScanned {
			l.stuck.incomplete = true
			break
		}
		dead := reading.RecordOrNil(l.View, id) // a damaged record stops no other
		if dead == nil || !reading.StaysBlocked(dead) {
			continue
		}
		for r := range l.records(l.Oldest(store.DependentsOf(id), 0), MaxScanned-looked, &l.stuck) {
			looked++
			part := &l.stuck
			if dead.Status == schemas.Completed && dead.From == schemas.Human { // who may accept it
				part = &l.needs
			}
			l.add(part, schemas.ConcernBlocked, r, dead.Ended, "").BlockedBy = id
		}
	}
}

// maxPerBox is how many handoffs of a mailbox are looked at: what waits longest is in front.
const maxPerBox = 10

// addPending finds, among what may be claimed, what lapsed and what nobody takes. It looks at [maxPerBox] of each
// mailbox, so that a long one does not use up the bound of all. What lies behind those does not count as ended early.
func (l *lister) addPending() {
	left := MaxScanned
	for _, b := range l.boxes {
		if b.Pending == 0 || b.Address == schemas.Address(schemas.Human) {
			continue
		}
		if left <= 0 {
			l.stuck.incomplete = true
			break
		}
		nobody, told := offer.NoTakerHere(l.Known, b.Address), ""
		for r := range l.records(l.Queue(b.Address), min(maxPerBox, left)) {
			left--
			why, err := l.Offers.WhyNoTaker(r, offer.Present)
			l.err = cmp.Or(l.err, err)
			why = cmp.Or(why, nobody)
			var c *schemas.Concern
			switch {
			case lastLeaseEnded(r):
				c = l.add(&l.stuck, schemas.ConcernLapsed, r, r.Touched, "")
			case why != "" && why != told:
				c = l.add(&l.stuck, schemas.ConcernNoTakers, r, r.Created, why)
			}
			if told = why; nobody != "" {
				c.Count = b.Pending
				nobody = "" // which is told of the first
			}
		}
	}
}

// lastLeaseEnded tells whether the last claim of a pending handoff ended by its lease: such a claim was neither given back nor
// answered, and its token is good until the next.
func lastLeaseEnded(r *store.Record) bool {
	return r.Status == schemas.Pending && r.Claims > 0 && r.Holder != "" && r.Token != "" && !r.Uncharged
}

// questions finds what waits for an answer: of the person, or of an agent. What an agent is asked that is here goes on:
// that agent answers.
func (l *lister) addQuestions() {
	for r := range l.records(l.Oldest(store.InState(schemas.Waiting), 0), l.scanLimit, &l.needs) {
		to, err := reading.AwaitedAnswerer(l.View, r)
		switch {
		case err != nil:
			l.err = err
			return
		case to == schemas.Human:
			l.add(&l.needs, schemas.ConcernQuestion, r, r.Touched, "").Event = r.Ask
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
func (l *lister) addApprovals() {
	var pending part
	l.addApprovalsFrom(l.Newest(store.InState(schemas.Pending), 0), &pending)
	if pending.incomplete {
		l.addApprovalsFrom(l.Newest(store.SentBy(schemas.Human), 0), &l.needs)
		l.addApprovalsFrom(l.approvalNotices(), &l.needs)
	}
}

// addApprovalsFrom adds what waits for approval among the first of these handoffs, and tells a part where there are more.
func (l *lister) addApprovalsFrom(ids iter.Seq2[schemas.ID, error], ended *part) {
	for r := range l.records(ids, l.scanLimit, ended) {
		if r.NeedsApproval && r.Status == schemas.Pending {
			l.add(&l.needs, schemas.ConcernApproval, r, r.Created, "").Event = l.approvalEvent(r)
		}
	}
}

// approvalEvent is the event since which a handoff waits for approval, 0 where it is not among the last ones.
func (l *lister) approvalEvent(r *store.Record) uint64 {
	events, _ := l.EventsOf(r, MaxScanned) // of a damaged record those before the damage
	for _, e := range events {
		if e.Needs == schemas.NeedsApproval {
			return e.N
		}
	}
	return 0
}

// noticed yields of what the person was told, newest first: the handoffs that were to be approved, and else none.
func (l *lister) approvalNotices() iter.Seq2[schemas.ID, error] {
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

// leave finds workflows whose rules wait for the person's leave: those that stand still for it, behind a step that ended,
// and those under way, which are shown where they run, too.
func (l *lister) addLeaves() {
	for r := range l.records(l.AwaitingLeave(), l.scanLimit, &l.needs) {
		file := r.AwaitsLeave()
		switch {
		case r.Status == schemas.Returned: // its rework goes on
			continue
		case l.LeaveFile(r) == "":
			file = reading.NoFile
		}
		l.add(&l.needs, schemas.ConcernLeave, r, r.Ended, reading.LeaveReason(file))
	}
	for _, state := range schemas.Open.States() {
		for r := range l.records(l.Newest(store.InState(state), 0), l.scanLimit, &l.needs) {
			if file := l.LeaveFile(r); file != "" {
				l.add(&l.needs, schemas.ConcernLeave, r, r.Created, reading.LeaveReason(file))
				delete(l.seen, r.ID)
			}
		}
	}
}

// failures finds what ended badly and with which nobody goes on. What a person refused is none. It looks at those of
// each state that were sent last, and does not tell where there are more.
func (l *lister) addFailures() {
	for _, state := range []schemas.Status{schemas.Failed, schemas.TimedOut, schemas.Rejected} {
		for r := range l.records(l.Newest(store.InState(state), 0), maxRows) {
			refused := r.Status == schemas.Rejected && r.Result == 0
			if !refused && !l.isContinued(r) {
				l.add(&l.needs, schemas.ConcernFailure, r, r.Ended, "")
			}
		}
	}
}

// isContinued tells whether somebody went on with a handoff that ended badly: another took its place, somebody who may said
// that nobody is to go on, or a part of it was sent since and not cancelled. Whatever else is sent in its workflow is
// other work.
func (l *lister) isContinued(r *store.Record) bool {
	if r.Successor != 0 || r.Dismissed != 0 {
		return true
	}
	looked := 0
	for id := range untilError(l, l.Newest(store.ChildrenOf(r.ID), 0)) {
		part := reading.RecordOrNil(l.View, id)
		switch looked++; {
		case looked > MaxScanned || part != nil && (part.Created < r.Ended || part.Body < r.Result): // it was sent before
			return false
		case part != nil && part.Status != schemas.Cancelled:
			return true
		}
	}
	return false
}

// messages finds what was written to the person, who has not read it: it stands nowhere else.
func (l *lister) addMessages() {
	ids, err := l.UnreadAbout(schemas.Human, 0, maxUnread)
	l.err = cmp.Or(l.err, err)
	for i, id := range ids {
		if i >= l.scanLimit {
			l.needs.incomplete = true
			return
		}
		for n := range untilError(l, l.Notices(schemas.Human, id+1)) {
			if n.ID == id && n.Kind == schemas.TypeMessage {
				l.needs.rows = append(l.needs.rows, row{Concern: messageOf(n)})
			}
			break
		}
	}
}

// messageOf is the row of a message.
func messageOf(n schemas.Notice) schemas.Concern {
	return schemas.Concern{
		Kind: schemas.ConcernMessage, NoticeID: n.ID, HandoffID: n.About, Title: schemas.Visible(strings.TrimPrefix(n.Title, "Handoff: ")),
		From: n.From, Rule: n.Rule, To: schemas.Address(n.To), Since: n.At, Reason: schemas.Visible(schemas.Shorten(n.Text, reading.MaxReportBytes)),
	}
}

// addWorkForHuman finds what the person may claim, and what the person holds.
func (l *lister) addWorkForHuman() {
	for r := range l.records(l.Queue(schemas.Address(schemas.Human)), l.scanLimit, &l.needs) {
		kind := schemas.ConcernWork
		if parent := reading.RecordOrNil(l.View, r.Parent); parent != nil && escalated(parent, r) {
			kind = schemas.ConcernEscalation
		}
		l.add(&l.needs, kind, r, r.Created, "")
	}
	for r := range l.records(l.Oldest(store.HeldBy(schemas.Human), 0), l.scanLimit) {
		l.add(&l.needs, schemas.ConcernYours, r, r.Claimed, "")
	}
}

// escalated tells whether r was sent to a person to decide about parent.
func escalated(parent, r *store.Record) bool {
	return parent.Successor == r.ID && parent.Rollback != r.ID &&
		(parent.Status == schemas.Failed || parent.Status == schemas.TimedOut)
}
