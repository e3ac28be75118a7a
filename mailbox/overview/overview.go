// Package overview computes the state of a workspace for the person in charge of it: handoffs that need a person,
// running handoffs, stuck handoffs with the reasons, and counts. [Compute] reads one snapshot of the store and changes
// nothing.
//
// Each step of the computation finds one kind of handoff, such as handoffs with an open question. A step reads at most
// [MaxScanned] rows of an index, so the computation takes the same time in a large store. If a step stops early, the
// result says that its part is incomplete. Steps read the oldest rows first, because stuck handoffs are old.
package overview

import (
	"cmp"
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Limits of one computation.
const (
	MaxScanned = 150   // handoffs, notices or agents that one step reads
	maxRows    = 1_000 // mailboxes, and rows that are only counted

	defaultRows = 20     // rows of a part by default
	maxUnread   = 10_000 // notices of the person that are searched for messages
)

// Patience is the time after which work counts as stuck because no agent takes it, and a question because no agent
// answers it. It runs from the last change of the handoff, and from the last call of each agent that could act.
//
// These handoffs are stuck, for all commands that say so: those whose holder is gone or silent, those whose lease ended,
// those that wait for work that ended badly, and those that no agent took or answered within this time. Work for a
// client of [Config.Clients] is not stuck, because the client is only not open.
const Patience = 5 * time.Minute

// Config holds the inputs of [Compute], except the snapshot. Now and Reader are required.
type Config struct {
	Now     time.Time
	Limit   int                               // rows of a part; zero for the default
	Silence func(*store.Record) time.Duration // time after which a holder without calls counts as silent
	Known   []offer.KnownAgent                // agents
	Clients []schemas.Agent                   // clients that are set up on the caller's machine

	// Offers answers questions about the snapshot.
	Offers offer.Offers

	// FileAwaitingPermission returns the file whose rules would send more work after a handoff if a person permitted
	// the file. It returns "" if there is no such file.
	FileAwaitingPermission func(*store.Record) string

	// Reader explains the state of a handoff, and knows when its holder was last heard of.
	Reader reading.Reader
}

// Compute computes the overview of a snapshot. It leaves out damaged records. All errors come from the store.
func Compute(v *store.View, c Config) (out schemas.OverviewOut, err error) {
	l := &overviewBuilder{View: v, Config: c, here: map[schemas.Agent]bool{}, seen: map[schemas.ID]bool{}, closed: map[schemas.Address]string{}}
	l.Limit = cmp.Or(c.Limit, defaultRows)
	l.scanLimit = max(MaxScanned, l.Limit)
	// The first step that finds a handoff shows it, so steps for the person come first.
	for _, step := range []func(){
		l.countTotals, l.markWorkingAgents, l.addQuestions, l.addApprovals, l.addRulesAwaitingPermission, l.addFailures, l.addWorkForHuman, l.addMessages, l.addBlockedHandoffs, l.addHeldHandoffs, l.addPendingHandoffs,
	} {
		if step(); l.err != nil {
			return out, l.err
		}
	}
	here, boxes := l.presentAgentLoads(), l.pendingBoxLoads()
	l.addDueHandoffs()
	l.counts.Agents = len(here)
	slices.SortStableFunc(here, func(a, b schemas.HandoffCount) int { return b.Count - a.Count })
	out = schemas.OverviewOut{
		At: c.Now, Counts: l.counts, NeedsYou: l.finishPart(l.needs), Running: l.finishPart(l.running), Stuck: l.finishPart(l.stuck),
		Due:  l.finishPart(l.due),
		Here: here[:min(len(here), l.Limit)], Mailboxes: boxes,
	}
	return out, l.err
}

// overviewBuilder computes one overview. It shows each handoff once, in the first step that finds the handoff. All
// steps read through [yieldUntilError], so an error of the store ends the computation.
type overviewBuilder struct {
	*store.View
	Config
	here  map[schemas.Agent]bool
	boxes []store.MailboxCounters
	seen  map[schemas.ID]bool
	err   error

	// scanLimit is the number of handoffs or notices that a step for the person reads. It is at least the number of
	// rows that the caller wants.
	scanLimit int

	closed map[schemas.Address]string // texts about clients that are not open, by mailbox

	needs, running, stuck, due partRows

	counts schemas.WorkspaceTotals
}

// partRows holds the rows of one part of the overview.
type partRows struct {
	rows       []row
	incomplete bool // a step stopped early
}

// row is one row of a part: the concern, and the record of its handoff. The row of a message has no record.
type row struct {
	schemas.OverviewEntry
	record *store.Record
}

// addConcern adds a row for a handoff. since is the time at which the concern began, and why is a reason that the state
// of the handoff does not show. The returned concern is valid until the next row is added, because rows may move in
// memory then.
func (l *overviewBuilder) addConcern(p *partRows, kind schemas.OverviewEntryKind, r *store.Record, since store.Time, why string) *schemas.OverviewEntry {
	l.seen[r.ID] = true
	c := schemas.OverviewEntry{
		Kind: kind, HandoffID: r.ID, Title: schemas.EscapeHidden(r.Title), Status: r.Status, Workflow: r.Workflow, From: r.From, Rule: r.Rule,
		To: r.To, Holder: r.Holder, Since: since.Time(), Reason: why, LastSign: l.Reader.LastSignOfLife(r), Priority: r.UnusualPriority(),
	}
	if r.Status.IsHeld() {
		c.LeaseEnds, c.Percent = r.Lease.Ptr(), r.Percent
	}
	p.rows = append(p.rows, row{c, r})
	return &p.rows[len(p.rows)-1].OverviewEntry
}

// finishPart sorts a part by the time of the change by the clock, if its rows have one, and by urgency, cuts it to the
// row limit, and adds reasons and next calls to the remaining rows. If the store fails, it puts the error into l.err,
// and [Compute] returns it.
func (l *overviewBuilder) finishPart(p partRows) schemas.OverviewPart {
	slices.SortFunc(p.rows, func(a, b row) int {
		return cmp.Or(
			a.Due.Compare(b.Due), cmp.Compare(priorityRank(b.Priority), priorityRank(a.Priority)), cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), a.Since.Compare(b.Since),
			cmp.Compare(a.HandoffID, b.HandoffID), cmp.Compare(a.NoticeID, b.NoticeID))
	})
	out := schemas.OverviewPart{Items: []schemas.OverviewEntry{}, Total: len(p.rows), AtLeast: p.incomplete}
	for _, r := range p.rows[:min(len(p.rows), l.Limit)] {
		l.err = cmp.Or(l.err, l.addReason(&r))
		r.Next = l.adviseCalls(r)
		out.Items = append(out.Items, r.OverviewEntry)
	}
	return out
}

// priorityRank returns the rank of a priority for sorting. Normal and low priority have the same rank.
func priorityRank(p schemas.Priority) int {
	return max(slices.Index(schemas.Priorities, p), slices.Index(schemas.Priorities, schemas.Normal))
}

// kinds lists the kinds of concerns in the order in which they are shown.
var kinds = []schemas.OverviewEntryKind{
	schemas.ConcernQuestion, schemas.ConcernApproval, schemas.ConcernLeave, schemas.ConcernFailure, schemas.ConcernEscalation,
	schemas.ConcernWork, schemas.ConcernMessage, schemas.ConcernYours, schemas.ConcernRunning, schemas.ConcernDead, schemas.ConcernBlocked,
	schemas.ConcernUnanswered, schemas.ConcernLapsed, schemas.ConcernSilent, schemas.ConcernNoTakers,
}

// kindRank returns the position of a kind in [kinds].
func kindRank(k schemas.OverviewEntryKind) int { return slices.Index(kinds, k) }

// countTotals reads the mailboxes for later steps, and adds up their counters. It reads at most [maxRows] mailboxes, at
// most [maxRows] rows for waiting handoffs, and at most [maxRows] rows for blocked handoffs.
func (l *overviewBuilder) countTotals() {
	for b := range yieldUntilError(l, l.NonEmptyMailboxes()) {
		if len(l.boxes) == maxRows {
			l.running.incomplete, l.stuck.incomplete = true, true
			break
		}
		l.boxes = append(l.boxes, b)
		l.counts.Claimable += b.Pending
		l.counts.Held += b.Held
	}
	l.counts.Waiting = l.countDistinct(l.OldestFirst(store.IndexByState(schemas.Waiting), 0))
	l.counts.Blocked = l.countDistinct(l.OldestFirst(store.IndexOfAllDependents(), 0))
	for id := range yieldUntilError(l, l.NewestFirst(store.IndexOfAllHandoffs(), 0)) {
		l.counts.Sent = int(id) //nolint:gosec // ids count up from 1
		break
	}
	events, err := l.EventCount()
	l.counts.Events, l.err = events, cmp.Or(l.err, err)
}

// presentAgentLoads returns the live agents with the number of handoffs that each holds.
func (l *overviewBuilder) presentAgentLoads() []schemas.HandoffCount {
	held := map[schemas.Address]int{}
	for _, b := range l.boxes {
		held[b.Address] = b.Held
	}
	all := []schemas.HandoffCount{}
	for _, a := range l.Known {
		if a.IsLive {
			box := schemas.Address(a.Card.Name)
			all = append(all, schemas.HandoffCount{Name: box, Count: held[box]})
		}
	}
	return all
}

// pendingBoxLoads returns the mailboxes with their claimable handoffs, and counts these mailboxes. The mailbox with the
// most urgent handoffs comes first, then the one whose first handoff is the oldest.
func (l *overviewBuilder) pendingBoxLoads() []schemas.HandoffCount {
	all := []schemas.HandoffCount{}
	for _, b := range l.boxes {
		if b.Pending == 0 {
			continue
		}
		load := schemas.HandoffCount{Name: b.Address, Count: b.Pending, Urgent: b.Urgent, Note: l.closed[b.Address]}
		for id := range yieldUntilError(l, reading.AtMost(max(1, min(b.Urgent, l.scanLimit)), l.ClaimableHandoffs(b.Address))) {
			r := cmp.Or(reading.RecordOrNil(l.View, id), &store.Record{})
			load.Since = cmp.Or(load.Since, r.Created.Time())
			if r.Priority == schemas.Critical && !l.seen[id] {
				load.Critical = append(load.Critical, fmt.Sprintf("%s (critical) %s", r.ID, schemas.EscapeHidden(r.Title)))
			}
		}
		all = append(all, load)
	}
	l.counts.Mailboxes = len(all)
	slices.SortStableFunc(all, func(a, b schemas.HandoffCount) int {
		return cmp.Or(len(b.Critical)-len(a.Critical), b.Urgent-a.Urgent, a.Since.Compare(b.Since))
	})
	return all[:min(len(all), l.Limit)]
}

// yieldUntilError yields the values of read until the first error, and stores that error in the builder. So the steps
// need not check errors.
func yieldUntilError[T any](l *overviewBuilder, read iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range read {
			if l.err = cmp.Or(l.err, err); l.err != nil || !yield(v) {
				return
			}
		}
	}
}

// countDistinct counts the different handoffs among the first [maxRows] ids. A handoff with several dependencies occurs
// once for each dependency.
func (l *overviewBuilder) countDistinct(ids iter.Seq2[schemas.ID, error]) int {
	found, rows := map[schemas.ID]bool{}, 0
	for id := range yieldUntilError(l, ids) {
		if rows++; rows > maxRows {
			break
		}
		found[id] = true
	}
	return len(found)
}

// unseenRecords yields the records of the handoffs that no earlier step has found. It reads at most limit ids, and
// marks the parts as incomplete if there are more. It skips unreadable records.
func (l *overviewBuilder) unseenRecords(ids iter.Seq2[schemas.ID, error], limit int, parts ...*partRows) iter.Seq[*store.Record] {
	return func(yield func(*store.Record) bool) {
		looked := 0
		for id := range yieldUntilError(l, ids) {
			if looked++; looked > limit {
				for _, p := range parts {
					p.incomplete = true
				}
				return
			}
			if l.seen[id] {
				continue
			}
			if r := reading.RecordOrNil(l.View, id); r != nil && !yield(r) {
				return
			}
		}
	}
}

// addReason adds to a row the reason of the handoff's state, and the last report of its holder.
func (l *overviewBuilder) addReason(r *row) error {
	if r.record == nil {
		return nil
	}
	reason, err := l.Reader.StateReason(l.View, r.record)
	if reason == "" && err == nil {
		reason, err = reading.CompletionRefusalReason(l.View, r.record)
	}
	if err != nil {
		return err
	}
	switch {
	case r.Kind == schemas.ConcernLeave, r.Kind == schemas.ConcernDue:
		reason = r.Reason
	case r.Kind == schemas.ConcernSilent && reason != "":
		reason = r.Reason + ": " + cmp.Or(reading.RefusalBeforeSilence(l.View, r.record), reason)
	case r.Reason != "" && reason != "" && r.Kind == schemas.ConcernUnanswered:
		reason = r.Reason + ". " + reason
	}
	r.Reason = schemas.EscapeHidden(schemas.Shorten(cmp.Or(reason, r.Reason), reading.MaxReportBytes))
	if r.record.Note == 0 || r.record.Holder == "" || r.record.Status.HasEnded() {
		return nil
	}
	r.Report, err = reading.LastReport(l.View, r.record)
	return err
}

// nextText has the advice for the entries. It explains itself.
//
//go:embed next.txt
var nextText string

var nextRows = sync.OnceValue(func() schemas.AdviceTable { return schemas.ReadAdviceTable(nextText) })

// adviseCalls returns the calls with which a person can act on a concern, the likeliest call first. It advises no retry
// that the server would refuse, because the texts of the handoff were deleted or cannot be read. It advises a message to
// a silent holder that is here, because it may work on the handoff.
func (l *overviewBuilder) adviseCalls(c row) []schemas.Advice {
	kind := string(c.Kind)
	switch before := reading.RecordOrNil(l.View, c.BlockedBy); {
	case c.Kind == schemas.ConcernFailure:
		if lessened, err := reading.HasExpiredContent(l.View, c.record); lessened || err != nil {
			kind += ":not-kept"
		}
	case c.Kind == schemas.ConcernBlocked && before != nil && before.Status == schemas.Completed:
		kind += ":completed"
	case c.Kind == schemas.ConcernSilent && l.here[c.Holder]:
		kind += ":here"
	}
	return nextRows().For(kind, "{id}", c.HandoffID.String(), "{notice}", c.NoticeID.String(), "{before}", c.BlockedBy.String(), "{holder}", string(c.Holder))
}
