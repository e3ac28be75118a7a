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

// addHeldHandoffs adds handoffs that agents hold, except those with an open question. Absent agents come first, so that
// none of their handoffs is missed if there are too many. It subtracts the counter of each agent's mailbox from the
// limit, even if earlier steps found some of the handoffs.
func (l *overviewBuilder) addHeldHandoffs() {
	left := MaxScanned
	for _, here := range []bool{false, true} {
		for _, b := range l.boxes {
			agent := schemas.Agent(b.Address)
			if b.Held == 0 || agent == schemas.Human || l.here[agent] != here {
				continue
			}
			for r := range l.unseenRecords(l.OldestFirst(store.IndexByHolder(agent), 0), left, &l.running, &l.stuck) {
				l.addHeldHandoff(r)
			}
			if left -= b.Held; left < 0 {
				return
			}
		}
	}
}

// addHeldHandoff adds a held handoff as dead, silent or running. A lost connection is a fact, so it comes before
// silence, which is a guess.
func (l *overviewBuilder) addHeldHandoff(r *store.Record) {
	switch {
	case r.Status == schemas.Waiting: // beyond the limit of the step for questions
	case l.Reader.IsConnectionGone(r):
		l.addConcern(&l.stuck, schemas.ConcernDead, r, r.Claimed, "")
	case l.Now.Sub(l.Reader.LastHeard(r)) >= l.Silence(r):
		l.addConcern(&l.stuck, schemas.ConcernSilent, r, r.Claimed, fmt.Sprintf("%s gives no sign", r.Holder))
	default:
		l.addConcern(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
	}
}

// addBlockedHandoffs adds handoffs that depend on a handoff that ended and was not done well. The concern exists since
// that end: from then on the handoff waits in vain.
func (l *overviewBuilder) addBlockedHandoffs() {
	looked := 0
	for id := range yieldUntilError(l, l.BlockingHandoffs()) {
		if looked++; looked > MaxScanned {
			l.stuck.incomplete = true
			break
		}
		dead := reading.RecordOrNil(l.View, id) // a damaged record stops no other
		if dead == nil || !reading.KeepsDependentsBlocked(dead) {
			continue
		}
		for r := range l.unseenRecords(l.OldestFirst(store.IndexByDependency(id), 0), MaxScanned-looked, &l.stuck) {
			looked++
			part := &l.stuck
			if dead.Status == schemas.Completed && dead.From == schemas.Human { // the person may accept it
				part = &l.needs
			}
			l.addConcern(part, schemas.ConcernBlocked, r, dead.Ended, "").BlockedBy = id
		}
	}
}

// maxPerBox is how many handoffs of a mailbox are read: the oldest are in front.
const maxPerBox = 10

// addPendingHandoffs adds pending handoffs whose last lease ended, and pending handoffs that no agent takes. It reads
// [maxPerBox] of each mailbox, so that a long one does not use up the limit of all. Handoffs behind those do not make
// the part incomplete.
func (l *overviewBuilder) addPendingHandoffs() {
	left := MaxScanned
	for _, b := range l.boxes {
		if b.Pending == 0 || b.Address == schemas.Address(schemas.Human) {
			continue
		}
		if left <= 0 {
			l.stuck.incomplete = true
			break
		}
		nobody, told := offer.NoPresentTakerText(l.Known, b.Address), ""
		for r := range l.unseenRecords(l.ClaimableHandoffs(b.Address), min(maxPerBox, left)) {
			left--
			why, err := l.Offers.NoTakerReason(r, offer.Present)
			l.err = cmp.Or(l.err, err)
			why = cmp.Or(why, nobody)
			var c *schemas.Concern
			switch {
			case lastLeaseEnded(r):
				c = l.addConcern(&l.stuck, schemas.ConcernLapsed, r, r.Touched, "")
			case why != "" && why != told:
				c = l.addConcern(&l.stuck, schemas.ConcernNoTakers, r, r.Created, why)
			}
			if told = why; nobody != "" {
				c.Count = b.Pending
				nobody = "" // the first row of the mailbox has it
			}
		}
	}
}

// lastLeaseEnded reports whether the last claim of a pending handoff ended by its lease. Then it was neither released
// nor answered, and its token is valid until the next claim.
func lastLeaseEnded(r *store.Record) bool {
	return r.Status == schemas.Pending && r.Claims > 0 && r.Holder != "" && r.Token != "" && !r.Uncharged
}

// addQuestions adds handoffs that wait for an answer, from the person or from an agent. If the agent is present, the
// handoff counts as running.
func (l *overviewBuilder) addQuestions() {
	for r := range l.unseenRecords(l.OldestFirst(store.IndexByState(schemas.Waiting), 0), l.scanLimit, &l.needs) {
		to, err := reading.AwaitedAnswerer(l.View, r)
		switch {
		case err != nil:
			l.err = err
			return
		case to == schemas.Human:
			l.addConcern(&l.needs, schemas.ConcernQuestion, r, r.Touched, "").Event = r.Ask
		case l.here[to]:
			l.addConcern(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
		default:
			l.addConcern(&l.stuck, schemas.ConcernUnanswered, r, r.Touched, fmt.Sprintf("%s is not here", to))
		}
	}
}

// NoticeApproval is the kind of the notices that ask a person for approval.
const NoticeApproval = "approval"

// addApprovals adds pending handoffs that wait for approval. If there are too many pending ones, it looks among the
// person's own handoffs and among the notices, because the person is notified of each approval that others need. Only
// the record says whether a handoff still waits.
func (l *overviewBuilder) addApprovals() {
	var pending part
	l.addApprovalsFrom(l.NewestFirst(store.IndexByState(schemas.Pending), 0), &pending)
	if pending.incomplete {
		l.addApprovalsFrom(l.NewestFirst(store.IndexBySender(schemas.Human), 0), &l.needs)
		l.addApprovalsFrom(l.approvalNotices(), &l.needs)
	}
}

// addApprovalsFrom adds the handoffs of ids that wait for approval, and marks ended as incomplete if there are too
// many.
func (l *overviewBuilder) addApprovalsFrom(ids iter.Seq2[schemas.ID, error], ended *part) {
	for r := range l.unseenRecords(ids, l.scanLimit, ended) {
		if r.NeedsApproval && r.Status == schemas.Pending {
			l.addConcern(&l.needs, schemas.ConcernApproval, r, r.Created, "").Event = l.approvalEventNumber(r)
		}
	}
}

// approvalEventNumber returns the event since which a handoff waits for approval, 0 if it is not among the last ones.
func (l *overviewBuilder) approvalEventNumber(r *store.Record) uint64 {
	events, _ := l.EventsOf(r, MaxScanned) // of a damaged record, the events before the damage
	for _, e := range events {
		if e.Needs == schemas.NeedsApproval {
			return e.N
		}
	}
	return 0
}

// approvalNotices yields the handoffs of the person's approval notices, newest first, and 0 for other notices.
func (l *overviewBuilder) approvalNotices() iter.Seq2[schemas.ID, error] {
	return func(yield func(schemas.ID, error) bool) {
		for n, err := range l.Notices(schemas.Human, 0) {
			if n.Kind != NoticeApproval {
				n.About = 0 // no handoff has this id
			}
			if !yield(n.About, err) || err != nil {
				return
			}
		}
	}
}

// addRulesAwaitingPermission adds workflows whose rules wait for the person's permission. Some stand still behind a
// step that ended; others are under way, and are also shown among the running ones.
func (l *overviewBuilder) addRulesAwaitingPermission() {
	for r := range l.unseenRecords(l.HandoffsAwaitingLeave(), l.scanLimit, &l.needs) {
		file := r.FileAwaitingLeave()
		switch {
		case r.Status == schemas.Returned: // its rework goes on
			continue
		case l.LeaveFile(r) == "":
			file = reading.NoFile
		}
		l.addConcern(&l.needs, schemas.ConcernLeave, r, r.Ended, reading.LeaveReason(file))
	}
	for _, state := range schemas.Open.States() {
		for r := range l.unseenRecords(l.NewestFirst(store.IndexByState(state), 0), l.scanLimit, &l.needs) {
			if file := l.LeaveFile(r); file != "" {
				l.addConcern(&l.needs, schemas.ConcernLeave, r, r.Created, reading.LeaveReason(file))
				delete(l.seen, r.ID)
			}
		}
	}
}

// addFailures adds handoffs that ended badly and that no agent continues, except those that a person refused. It reads
// the newest of each state, and does not mark the part if there are more.
func (l *overviewBuilder) addFailures() {
	for _, state := range []schemas.Status{schemas.Failed, schemas.TimedOut, schemas.Rejected} {
		for r := range l.unseenRecords(l.NewestFirst(store.IndexByState(state), 0), maxRows) {
			refused := r.Status == schemas.Rejected && r.Result == 0
			if !refused && !l.isContinued(r) {
				l.addConcern(&l.needs, schemas.ConcernFailure, r, r.Ended, "")
			}
		}
	}
}

// isContinued reports whether the work of a badly ended handoff goes on: another handoff replaced it, it was dismissed,
// or a part of it was sent since and not cancelled. Other handoffs of its workflow do not count.
func (l *overviewBuilder) isContinued(r *store.Record) bool {
	if r.Successor != 0 || r.Dismissed != 0 {
		return true
	}
	looked := 0
	for id := range yieldUntilError(l, l.NewestFirst(store.IndexByParent(r.ID), 0)) {
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

// addMessages adds unread messages to the person: no other step shows them.
func (l *overviewBuilder) addMessages() {
	ids, err := l.UnreadNoticesAbout(schemas.Human, 0, maxUnread)
	l.err = cmp.Or(l.err, err)
	for i, id := range ids {
		if i >= l.scanLimit {
			l.needs.incomplete = true
			return
		}
		for n := range yieldUntilError(l, l.Notices(schemas.Human, id+1)) {
			if n.ID == id && n.Kind == schemas.TypeMessage {
				l.needs.rows = append(l.needs.rows, row{Concern: messageConcern(n)})
			}
			break
		}
	}
}

// messageConcern returns the concern of a message.
func messageConcern(n schemas.Notice) schemas.Concern {
	return schemas.Concern{
		Kind: schemas.ConcernMessage, NoticeID: n.ID, HandoffID: n.About, Title: schemas.Visible(strings.TrimPrefix(n.Title, "Handoff: ")),
		From: n.From, Rule: n.Rule, To: schemas.Address(n.To), Since: n.At, Reason: schemas.Visible(schemas.Shorten(n.Text, reading.MaxReportBytes)),
	}
}

// addWorkForHuman adds handoffs that the person may claim, and handoffs that the person holds.
func (l *overviewBuilder) addWorkForHuman() {
	for r := range l.unseenRecords(l.ClaimableHandoffs(schemas.Address(schemas.Human)), l.scanLimit, &l.needs) {
		kind := schemas.ConcernWork
		if parent := reading.RecordOrNil(l.View, r.Parent); parent != nil && isEscalation(parent, r) {
			kind = schemas.ConcernEscalation
		}
		l.addConcern(&l.needs, kind, r, r.Created, "")
	}
	for r := range l.unseenRecords(l.OldestFirst(store.IndexByHolder(schemas.Human), 0), l.scanLimit) {
		l.addConcern(&l.needs, schemas.ConcernYours, r, r.Claimed, "")
	}
}

// isEscalation reports whether r was sent to a person to decide about parent.
func isEscalation(parent, r *store.Record) bool {
	return parent.Successor == r.ID && parent.Rollback != r.ID &&
		(parent.Status == schemas.Failed || parent.Status == schemas.TimedOut)
}
