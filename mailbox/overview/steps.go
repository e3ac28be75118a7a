package overview

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/store"
)

// markWorkingAgents marks agents as live whose claims run: their holders are neither gone nor silent. An agent on the
// command line has no connection, so this alone shows that it lives. It reads [maxPerBox] claims of each agent.
func (l *overviewBuilder) markWorkingAgents() {
	for i := range l.Known {
		a := &l.Known[i]
		for r := range l.unseenRecords(l.OldestFirst(store.IndexByHolder(a.Card.Name), 0), maxPerBox) {
			a.IsLive = a.IsLive || !l.Reader.IsConnectionGone(r) && !l.isSilent(r)
		}
		a.IsPresent = a.IsPresent || a.IsLive
		l.here[a.Card.Name] = a.IsPresent
	}
}

func (l *overviewBuilder) isSilent(r *store.Record) bool {
	return l.Now.Sub(l.Reader.LastHeard(r)) >= l.Silence(r)
}

// addHeldHandoffs adds handoffs that agents hold. It reads at most [MaxScanned] of them, and starts with the handoffs
// of absent agents, because these may be stuck. Handoffs with an open question belong to
// [overviewBuilder.addQuestions].
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

// addHeldHandoff adds a held handoff as dead, silent or running. It checks the connection first: a lost connection
// proves that the holder is gone, but a silent holder may still work.
func (l *overviewBuilder) addHeldHandoff(r *store.Record) {
	switch {
	case r.Status == schemas.Waiting: // beyond the limit of the step for questions
	case l.Reader.IsConnectionGone(r):
		l.addConcern(&l.stuck, schemas.ConcernDead, r, l.connectionEnd(r), "")
	case l.isSilent(r):
		heard := l.Reader.LastHeard(r)
		why := fmt.Sprintf("%s said nothing of it for %s", r.Holder, display.FormatDuration(l.Now.Sub(heard)))
		if l.seenSince(r.Holder, heard) {
			why += ", but made other calls since"
		}
		l.addConcern(&l.stuck, schemas.ConcernSilent, r, store.TimeOf(heard), why)
	default:
		l.addConcern(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
	}
}

// connectionEnd returns the time at which the connection of the holder ended: as the event says, or the holder's last
// call if the server was not there to see the end.
func (l *overviewBuilder) connectionEnd(r *store.Record) store.Time {
	if e, err := l.Event(r.Event); err == nil && e != nil && life.Action(e.Action) == life.Lost {
		return store.TimeOf(e.At)
	}
	return store.TimeOf(l.Reader.LastHeard(r))
}

// seenSince reports whether an agent made a call more than a minute after a time: the row of an agent has the time of
// its last call to the minute.
func (l *overviewBuilder) seenSince(name schemas.Agent, at time.Time) bool {
	return slices.ContainsFunc(l.Known, func(a offer.KnownAgent) bool {
		return a.Card.Name == name && a.Seen.Time().Sub(at) > time.Minute
	})
}

// addBlockedHandoffs adds handoffs with a dependency that ended badly. These handoffs stay blocked until a person acts,
// so the concern begins at the end of the dependency.
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
			l.addConcern(part, schemas.ConcernBlocked, r, max(dead.Ended, r.Created), "").BlockedBy = id
		}
	}
}

// maxPerBox is the number of handoffs that are read from each mailbox. The oldest handoffs are read first.
const maxPerBox = 10

// addPendingHandoffs adds pending handoffs whose last lease ended, and pending handoffs that no agent takes. All mailboxes
// share the limit of rows, but it reads at least [maxPerBox] handoffs of each, so that a long mailbox hides no other. If
// no agent is here for a mailbox and not all of its handoffs were read, the part is incomplete.
func (l *overviewBuilder) addPendingHandoffs() {
	left, perBox := l.scanLimit, max(maxPerBox, l.scanLimit/max(len(l.boxes), 1))
	for _, b := range l.boxes {
		if b.Pending == 0 || b.Address == schemas.Address(schemas.Human) {
			continue
		}
		if left <= 0 {
			l.stuck.incomplete = true
			break
		}
		nobody, ended := offer.NoPresentTakerText(l.Known, b.Address), []*partRows(nil)
		if name, directed := b.Address.SingleAgent(); directed && nobody != "" {
			l.closed[b.Address] = offer.ClosedClientText(l.Clients, name)
		}
		if nobody != "" && l.closed[b.Address] == "" {
			ended = append(ended, &l.stuck)
		}
		for r := range l.unseenRecords(l.ClaimableHandoffs(b.Address), min(perBox, left), ended...) {
			left--
			why, err := l.Offers.NoTakerReason(r, offer.PresentMemberReasons)
			end, _ := reading.ClaimEnd(l.View, r) // nil for a damaged event, which stops no other handoff
			l.err = cmp.Or(l.err, err)
			why = cmp.Or(why, nobody)
			switch {
			case end != nil && life.Action(end.Action) == life.Requeue:
				l.addConcern(&l.stuck, schemas.ConcernLapsed, r, store.TimeOf(end.Due), "")
			case l.closed[b.Address] == "" && why != "" && l.Now.Sub(l.lastChange(r)) >= Patience:
				l.addConcern(&l.stuck, schemas.ConcernNoTakers, r, store.TimeOf(l.lastChange(r)), why)
			}
		}
	}
}

// lastChange returns the time of the last change of a handoff; a message about it changes nothing. A change by the clock
// counts from the time at which it was due, because the server may notice it later.
func (l *overviewBuilder) lastChange(r *store.Record) time.Time {
	e, err := l.Event(r.Event)
	for err == nil && e != nil && life.Action(e.Action) == life.Message && e.Before < e.N {
		e, err = l.Event(e.Before)
	}
	if err != nil || e == nil {
		return r.Created.Time()
	}
	return cmp.Or(e.Due, e.At)
}

// addQuestions adds handoffs whose holder asked a question. If the question goes to an agent that has been absent for
// [Patience], the handoff counts as stuck. Otherwise it counts as running.
func (l *overviewBuilder) addQuestions() {
	for r := range l.unseenRecords(l.OldestFirst(store.IndexByState(schemas.Waiting), 0), l.scanLimit, &l.needs) {
		to, err := reading.AwaitedAnswerer(l.View, r)
		switch {
		case err != nil:
			l.err = err
			return
		case to == schemas.Human:
			l.addConcern(&l.needs, schemas.ConcernQuestion, r, r.Touched, "").Event = r.Ask
		case l.here[to] || l.Now.Sub(l.lastChange(r)) < Patience:
			l.addConcern(&l.running, schemas.ConcernRunning, r, r.Claimed, "")
		default:
			l.addConcern(&l.stuck, schemas.ConcernUnanswered, r, r.Touched, fmt.Sprintf("%s is not here", to))
		}
	}
}

// NoticeApproval is the kind of the notices that ask a person for approval.
const NoticeApproval = "approval"

// addApprovals adds pending handoffs that wait for approval. If there are too many pending handoffs to read, it reads
// only the handoffs that the person sent, and the handoffs that the person's approval notices name.
func (l *overviewBuilder) addApprovals() {
	var pending partRows
	l.addApprovalsFrom(l.NewestFirst(store.IndexByState(schemas.Pending), 0), &pending)
	if pending.incomplete {
		l.addApprovalsFrom(l.NewestFirst(store.IndexBySender(schemas.Human), 0), &l.needs)
		l.addApprovalsFrom(l.approvalNotices(), &l.needs)
	}
}

// addApprovalsFrom adds the handoffs of ids that wait for approval. If it reads only some of the ids, it marks `ended`,
// a part of the overview, as incomplete.
func (l *overviewBuilder) addApprovalsFrom(ids iter.Seq2[schemas.ID, error], ended *partRows) {
	for r := range l.unseenRecords(ids, l.scanLimit, ended) {
		if r.NeedsApproval && r.Status == schemas.Pending {
			l.addConcern(&l.needs, schemas.ConcernApproval, r, r.Created, "").Event = l.approvalEventNumber(r)
		}
	}
}

// approvalEventNumber returns the number of the event that made a handoff wait for approval. It returns 0 if this event
// is not among the last [MaxScanned] events of the handoff.
func (l *overviewBuilder) approvalEventNumber(r *store.Record) uint64 {
	events, _ := l.EventsOf(r, MaxScanned) // of a damaged record, the events before the damage
	for _, e := range events {
		if e.Needs == schemas.NeedsApproval {
			return e.N
		}
	}
	return 0
}

// approvalNotices yields the handoffs that the person's approval notices name, newest first. For each notice of another
// kind, it yields 0.
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

// addRulesAwaitingPermission adds handoffs after which a rule could send more work if a person permitted the rule. Some
// of these handoffs have ended, so their workflow stands still. A handoff that is still open is also shown among the
// running ones.
func (l *overviewBuilder) addRulesAwaitingPermission() {
	for r := range l.unseenRecords(l.HandoffsAwaitingPermission(), l.scanLimit, &l.needs) {
		file := r.FileAwaitingPermission()
		switch {
		case r.Status == schemas.Returned: // its rework goes on
			continue
		case l.FileAwaitingPermission(r) == "":
			file = reading.NoFile
		}
		l.addConcern(&l.needs, schemas.ConcernLeave, r, r.Ended, reading.PermissionReason(file))
	}
	for _, state := range schemas.Open.States() {
		for r := range l.unseenRecords(l.NewestFirst(store.IndexByState(state), 0), l.scanLimit, &l.needs) {
			if file := l.FileAwaitingPermission(r); file != "" {
				l.addConcern(&l.needs, schemas.ConcernLeave, r, r.Created, reading.PermissionReason(file))
				delete(l.seen, r.ID)
			}
		}
	}
}

// addFailures adds handoffs that ended badly and that no agent continues. It omits handoffs that a person refused. It
// reads the newest handoffs first, because old failures matter less.
func (l *overviewBuilder) addFailures() {
	for _, state := range []schemas.Status{schemas.Failed, schemas.TimedOut, schemas.Rejected} {
		for r := range l.unseenRecords(l.NewestFirst(store.IndexByState(state), 0), maxRows) {
			refused := r.Status == schemas.Rejected && r.Result == 0
			if !refused && !l.isFailureHandled(r) {
				l.addConcern(&l.needs, schemas.ConcernFailure, r, r.Ended, "")
			}
		}
	}
}

// isFailureHandled reports whether a person or an agent dealt with a badly ended handoff. This is so if the handoff has
// a successor, if it was dismissed, or if one of its child handoffs was sent after its end and was not cancelled.
func (l *overviewBuilder) isFailureHandled(r *store.Record) bool {
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

// addMessages adds the unread messages to the person.
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
				l.needs.rows = append(l.needs.rows, row{OverviewEntry: schemas.OverviewEntry{
					Kind: schemas.ConcernMessage, NoticeID: n.ID, HandoffID: n.About, From: n.From, Rule: n.Rule, To: schemas.Address(n.To), Since: n.At,
					Title:  schemas.EscapeHidden(strings.TrimPrefix(n.Title, "Handoff: ")),
					Reason: schemas.EscapeHidden(schemas.Shorten(n.Text, reading.MaxReportBytes)),
				}})
			}
			break
		}
	}
}

// addWorkForHuman adds the handoffs that the person may claim or holds.
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

// isEscalation reports whether r was sent to a person to decide about the failed handoff parent.
func isEscalation(parent, r *store.Record) bool {
	return parent.Successor == r.ID && parent.Rollback != r.ID &&
		(parent.Status == schemas.Failed || parent.Status == schemas.TimedOut)
}
