// Package overview computes the state of a workspace for the person in charge of it: the handoffs that need a person,
// the running work, the stuck work with the reasons, and counts. A command shows it, and a page may.
//
// It is computed from the states of handoffs in one snapshot of the store and from present connections, so reading it
// changes nothing. Only messages have no state: they need the person until they are read.
//
// It reads by seeks, and a bounded number of rows, however large the store is. Each step begins at an index that has
// mostly matching rows, and reads at most [MaxScanned] of them. A part with a step that stopped early says so. Steps
// read the oldest rows first, because stuck work is old.
package overview

import (
	"cmp"
	"iter"
	"slices"
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

// Config holds the inputs besides the snapshot. Now and Reader are required.
type Config struct {
	Now     time.Time
	Limit   int                               // rows of a part; zero for the default
	Silence func(*store.Record) time.Duration // when a quiet holder counts as silent
	Known   []offer.KnownAgent                // agents

	// Offers answers questions about the snapshot.
	Offers offer.Offers

	// LeaveFile returns the file whose rules continue after a handoff and wait for a person's permission, "" for none.
	LeaveFile func(*store.Record) string

	// Reader explains the state of a handoff, and knows about its holder.
	Reader reading.Reader
}

// Compute computes the overview of a snapshot. It leaves out damaged records. All errors come from the store.
func Compute(v *store.View, c Config) (out schemas.OverviewOut, err error) {
	l := &overviewBuilder{View: v, Config: c, here: map[schemas.Agent]bool{}, seen: map[schemas.ID]bool{}}
	l.Limit = cmp.Or(c.Limit, defaultRows)
	l.scanLimit = max(MaxScanned, l.Limit)
	for _, a := range c.Known {
		if l.here[a.Card.Name] = a.Here; a.Here {
			l.counts.Agents++
		}
	}
	// The first step that finds a handoff shows it, so steps for concerns of the person come first.
	for _, step := range []func(){
		l.countTotals, l.addQuestions, l.addApprovals, l.addRulesAwaitingPermission, l.addFailures, l.addWorkForHuman, l.addMessages, l.addBlockedHandoffs, l.addHeldHandoffs, l.addPendingHandoffs,
	} {
		if step(); l.err != nil {
			return out, l.err
		}
	}
	out = schemas.OverviewOut{
		At: c.Now, Counts: l.counts, NeedsYou: l.finishPart(l.needs), Running: l.finishPart(l.running), Stuck: l.finishPart(l.stuck),
		Here: l.presentAgentLoads(), Mailboxes: l.pendingBoxLoads(),
	}
	return out, l.err
}

// overviewBuilder computes one overview. Its steps run one after another; a handoff is shown once, by the first step
// that finds it. All steps read through [yieldUntilError], which stops at the first error of the store, and that error
// ends the computation.
type overviewBuilder struct {
	*store.View
	Config
	here  map[schemas.Agent]bool
	boxes []store.MailboxCounters
	seen  map[schemas.ID]bool
	err   error

	// scanLimit is how many handoffs or notices a step reads for concerns of the person: at least as many as rows are
	// wanted.
	scanLimit int

	needs, running, stuck part
	counts                schemas.Counts
}

// part holds the rows of one part of the overview.
type part struct {
	rows       []row
	incomplete bool // a step stopped early
}

// row is a concern with its record. A message has none.
type row struct {
	schemas.Concern
	record *store.Record
}

// addConcern adds a row for a handoff that no step has found yet. The step passes the time since when the concern
// exists, and a reason if the handoff's state does not explain it. The caller may fill in the returned concern until
// the next row is added: rows may move then.
func (l *overviewBuilder) addConcern(p *part, kind schemas.ConcernKind, r *store.Record, since store.Time, why string) *schemas.Concern {
	l.seen[r.ID] = true
	c := schemas.Concern{
		Kind: kind, HandoffID: r.ID, Title: schemas.Visible(r.Title), Status: r.Status, Workflow: r.Workflow, From: r.From, Rule: r.Rule,
		To: r.To, Holder: r.Holder, Since: since.Time(), Reason: why, LastSign: l.Reader.LastSignOfLife(r),
	}
	if r.Status.Held() {
		c.LeaseEnds, c.Percent = r.Lease.Ptr(), r.Percent
	}
	if r.Priority != schemas.Normal {
		c.Priority = r.Priority
	}
	p.rows = append(p.rows, row{c, r})
	return &p.rows[len(p.rows)-1].Concern
}

// finishPart sorts a part, cuts it to the row limit, and adds reasons, reports and next calls to the remaining rows.
// Only those rows cost reads. It keeps an error in l.err, for [Compute] to return.
func (l *overviewBuilder) finishPart(p part) schemas.Part {
	slices.SortFunc(p.rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(priorityRank(b.Priority), priorityRank(a.Priority)), cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), a.Since.Compare(b.Since),
			cmp.Compare(a.HandoffID, b.HandoffID), cmp.Compare(a.NoticeID, b.NoticeID))
	})
	out := schemas.Part{Items: []schemas.Concern{}, Total: len(p.rows), AtLeast: p.incomplete}
	for _, r := range p.rows[:min(len(p.rows), l.Limit)] {
		l.err = cmp.Or(l.err, l.addReason(&r))
		r.Next = l.adviseCalls(r)
		out.Items = append(out.Items, r.Concern)
	}
	return out
}

// priorityRank returns the order of priorities above normal; all others are equal.
func priorityRank(p schemas.Priority) int {
	return max(slices.Index(schemas.Priorities, p), slices.Index(schemas.Priorities, schemas.Normal))
}

// kinds lists the kinds in the order of attention.
var kinds = []schemas.ConcernKind{
	schemas.ConcernQuestion, schemas.ConcernApproval, schemas.ConcernLeave, schemas.ConcernFailure, schemas.ConcernEscalation,
	schemas.ConcernWork, schemas.ConcernMessage, schemas.ConcernYours, schemas.ConcernRunning, schemas.ConcernDead, schemas.ConcernBlocked,
	schemas.ConcernUnanswered, schemas.ConcernLapsed, schemas.ConcernSilent, schemas.ConcernNoTakers,
}

// kindRank returns the place of a kind in that order, the most pressing first.
func kindRank(k schemas.ConcernKind) int { return slices.Index(kinds, k) }

// countTotals reads the mailboxes for later steps, and adds up their counters. It reads at most [maxRows] mailboxes,
// and as many rows of handoffs that wait for an answer or are blocked.
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

// presentAgentLoads returns the present agents, sorted by how many handoffs each holds, most first.
func (l *overviewBuilder) presentAgentLoads() []schemas.Load {
	held := map[schemas.Address]int{}
	for _, b := range l.boxes {
		held[b.Address] = b.Held
	}
	all := []schemas.Load{}
	for _, a := range l.Known {
		if a.Here {
			box := schemas.Address(a.Card.Name)
			all = append(all, schemas.Load{Name: box, Count: held[box]})
		}
	}
	return l.largestLoads(all)
}

// pendingBoxLoads returns the mailboxes with claimable work.
func (l *overviewBuilder) pendingBoxLoads() []schemas.Load {
	all := []schemas.Load{}
	for _, b := range l.boxes {
		if b.Pending > 0 {
			all = append(all, schemas.Load{Name: b.Address, Count: b.Pending})
		}
	}
	return l.largestLoads(all)
}

func (l *overviewBuilder) largestLoads(all []schemas.Load) []schemas.Load {
	slices.SortStableFunc(all, func(a, b schemas.Load) int { return b.Count - a.Count })
	return all[:min(len(all), l.Limit)]
}

// yieldUntilError yields the values of read up to the first error, and keeps that error. So steps need not check
// errors: the loop that runs them does.
func yieldUntilError[T any](l *overviewBuilder, read iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range read {
			if l.err = cmp.Or(l.err, err); l.err != nil || !yield(v) {
				return
			}
		}
	}
}

// countDistinct counts the handoffs in the first rows. A handoff with several dependencies has a row for each.
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

// unseenRecords yields the records of the first handoffs. If there are more than limit, it marks the parts as
// incomplete. It passes over handoffs that an earlier step found, and unreadable ones. These count towards the limit,
// so the work is bounded even if most were found before.
func (l *overviewBuilder) unseenRecords(ids iter.Seq2[schemas.ID, error], limit int, parts ...*part) iter.Seq[*store.Record] {
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

// addReason adds the reason of a row's state, and the last report of its holder.
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
	case r.Kind == schemas.ConcernLeave:
		reason = r.Reason
	case r.Reason != "" && reason != "" && r.Kind == schemas.ConcernUnanswered:
		reason = r.Reason + ". " + reason
	}
	r.Reason = schemas.Visible(schemas.Shorten(cmp.Or(reason, r.Reason), reading.MaxReportBytes))
	if r.record.Note == 0 || r.record.Holder == "" || r.record.Status.Ended() {
		return nil
	}
	r.Report, err = reading.LastReport(l.View, r.record)
	return err
}

// adviseCalls returns the calls by which a person goes on with a concern, the likeliest first.
func (l *overviewBuilder) adviseCalls(c row) []schemas.Advice {
	id := c.HandoffID.String()
	show := schemas.Call(schemas.GetIn{HandoffID: id}, "shows it")
	do := func(a schemas.Action, say string) schemas.Advice {
		return schemas.Call(schemas.UpdateIn{HandoffID: id, Action: a}, say)
	}
	switch c.Kind {
	case schemas.ConcernMessage:
		no := c.NoticeID.String()
		return []schemas.Advice{
			schemas.Call(schemas.UpdateIn{HandoffID: no, Action: schemas.ActAnswer, Note: schemas.Blank}, "answers it"),
			schemas.Call(schemas.GetIn{HandoffID: no}, "reads it: then it needs you no more"),
		}
	case schemas.ConcernQuestion, schemas.ConcernUnanswered:
		answer := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAnswer, Note: schemas.Blank}
		return []schemas.Advice{schemas.Call(answer, "answers it"), show}
	case schemas.ConcernApproval:
		return []schemas.Advice{do(schemas.ActApprove, "lets it go on"), show}
	case schemas.ConcernFailure:
		drop := do(schemas.ActCancel, "says that no agent will continue it")
		if l.wouldRefuseRetry(c.record) {
			return []schemas.Advice{show, drop}
		}
		return []schemas.Advice{do(schemas.ActRetry, "has it done again"), show, drop}
	case schemas.ConcernEscalation:
		return []schemas.Advice{show, schemas.Call(schemas.ClaimIn{HandoffID: id}, "takes it")}
	case schemas.ConcernWork:
		return []schemas.Advice{schemas.Call(schemas.ClaimIn{HandoffID: id}, "takes it"), show}
	case schemas.ConcernYours:
		done := schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: schemas.Blank}}
		return []schemas.Advice{schemas.Call(done, "ends it when it is done"), show}
	case schemas.ConcernDead, schemas.ConcernSilent:
		return []schemas.Advice{do(schemas.ActRelease, "lets another take it"), show}
	case schemas.ConcernBlocked:
		if r := reading.RecordOrNil(l.View, c.BlockedBy); r == nil || r.Status != schemas.Completed {
			retry := schemas.UpdateIn{HandoffID: c.BlockedBy.String(), Action: schemas.ActRetry}
			return []schemas.Advice{schemas.Call(retry, "has that done again for which it waits"), show}
		}
		return append(acceptOrReturnCalls(c.BlockedBy), do(schemas.ActCancel, "ends this one"), show)
	case schemas.ConcernLapsed, schemas.ConcernNoTakers:
		other := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAmend, To: schemas.Blank}
		return []schemas.Advice{schemas.Call(other, "gives it to another"), show}
	case schemas.ConcernRunning, schemas.ConcernLeave: // handoff allow is no call of a tool
	}
	return []schemas.Advice{show}
}

// wouldRefuseRetry reports whether a retry would be refused: the texts of the handoff are no longer kept, or cannot be
// read.
func (l *overviewBuilder) wouldRefuseRetry(r *store.Record) bool {
	lessened, err := reading.HasLostContent(l.View, r)
	return lessened || err != nil
}

// acceptOrReturnCalls returns the two calls by which a person judges a result that another handoff depends on.
func acceptOrReturnCalls(id schemas.ID) []schemas.Advice {
	accept := schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActAccept}
	back := schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActReturn, Note: schemas.Blank}
	return []schemas.Advice{
		schemas.Call(accept, "accepts that for which it waits, and opens this"),
		schemas.Call(back, "returns that with points to mend"),
	}
}
