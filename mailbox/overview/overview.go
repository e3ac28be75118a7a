// Package overview computes what is going on in a workspace, for the person who looks after it: what needs a person,
// what agents are at work on, what is stuck and why, and how much there is. A command shows it, and so may a page.
//
// It is made of the state of the handoffs in one snapshot of the store and of who is here, so that no look takes
// anything from it. Only messages have no state: they need the person until they were read. Nothing is written.
//
// It reads by seeks, and a bounded number of rows however much is stored or open: each step begins at an index that has
// few rows besides those that it wants, and looks at [MaxScanned] of them at most. A part whose steps ended early says so.
// What is oldest is looked at first, because what is stuck grows old.
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

// How much is looked at.
const (
	MaxScanned = 150   // handoffs, notices or agents, by one step
	maxRows    = 1_000 // mailboxes, and rows that are only counted

	defaultRows = 20     // rows of a part, unless asked otherwise
	maxUnread   = 10_000 // notices of the person among which messages are looked for
)

// Config is what an overview needs besides the snapshot. Now and Reader are required.
type Config struct {
	Now     time.Time
	Limit   int                               // rows of a part; zero for the usual number
	Silence func(*store.Record) time.Duration // after which a holder of whom nothing is heard counts as silent
	Known   []offer.KnownAgent                // agents

	// Offers are what agents are offered in the snapshot.
	Offers offer.Offers

	// Leave is the file whose rules go on after a handoff and wait for a person's leave, "" for none.
	LeaveFile func(*store.Record) string

	// Reader tells why a handoff stands as it does, and what is known of its holder.
	Reader reading.Reader
}

// Compute computes the overview of a snapshot. A damaged record is left out: it stops no other. The errors are those of the
// store.
func Compute(v *store.View, c Config) (out schemas.OverviewOut, err error) {
	l := &lister{View: v, Config: c, here: map[schemas.Agent]bool{}, seen: map[schemas.ID]bool{}}
	l.Limit = cmp.Or(c.Limit, defaultRows)
	l.scanLimit = max(MaxScanned, l.Limit)
	for _, a := range c.Known {
		if l.here[a.Card.Name] = a.Here; a.Here {
			l.counts.Agents++
		}
	}
	// A handoff is shown by the first step that finds it, so what needs the person is looked for before what only goes
	// on.
	for _, step := range []func(){
		l.count, l.addQuestions, l.addApprovals, l.addLeaves, l.addFailures, l.addWorkForHuman, l.addMessages, l.addBlocked, l.addHeld, l.addPending,
	} {
		if step(); l.err != nil {
			return out, l.err
		}
	}
	out = schemas.OverviewOut{
		At: c.Now, Counts: l.counts, NeedsYou: l.finish(l.needs), Running: l.finish(l.running), Stuck: l.finish(l.stuck),
		Here: l.presentAgents(), Mailboxes: l.pendingBoxes(),
	}
	return out, l.err
}

// lister is one computation. Its steps run one after another; a handoff is shown once, by the first step that finds it.
// All that they read comes through [untilError], which ends at the first error of the store: that one ends the computation.
type lister struct {
	*store.View
	Config
	here  map[schemas.Agent]bool
	boxes []store.Box
	seen  map[schemas.ID]bool
	err   error

	// reach is how many handoffs or notices a step looks at for what needs the person: no fewer than rows are wanted.
	scanLimit int

	needs, running, stuck part
	counts                schemas.Counts
}

// part is what was found for one part of the overview.
type part struct {
	rows       []row
	incomplete bool // looking ended early
}

// row is a concern with its record, by which it is told. A message has none.
type row struct {
	schemas.Concern
	record *store.Record
}

// add notes a handoff that was not found before. The step says since when it is so, and why where the state of the
// handoff does not tell. What it gives may be filled in until the next row is added: rows may move then.
func (l *lister) add(p *part, kind schemas.ConcernKind, r *store.Record, since store.Time, why string) *schemas.Concern {
	l.seen[r.ID] = true
	c := schemas.Concern{
		Kind: kind, HandoffID: r.ID, Title: schemas.Visible(r.Title), Status: r.Status, Workflow: r.Workflow, From: r.From, Rule: r.Rule,
		To: r.To, Holder: r.Holder, Since: since.Time(), Reason: why, LastSign: l.Reader.LastSign(r),
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

// finish orders a part, cuts it to so many rows as are shown, and adds to these what was said and what may be done.
// Only rows that are shown cost reads. An error is kept in l.err, for [Compute] to return.
func (l *lister) finish(p part) schemas.Part {
	slices.SortFunc(p.rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(urgency(b.Priority), urgency(a.Priority)), cmp.Compare(rank(a.Kind), rank(b.Kind)), a.Since.Compare(b.Since),
			cmp.Compare(a.HandoffID, b.HandoffID), cmp.Compare(a.NoticeID, b.NoticeID))
	})
	out := schemas.Part{Items: []schemas.Concern{}, Total: len(p.rows), AtLeast: p.incomplete}
	for _, r := range p.rows[:min(len(p.rows), l.Limit)] {
		l.err = cmp.Or(l.err, l.addReason(&r))
		r.Next = l.nextCalls(r)
		out.Items = append(out.Items, r.Concern)
	}
	return out
}

// urgency orders what is above normal; the rest is equal.
func urgency(p schemas.Priority) int {
	return max(slices.Index(schemas.Priorities, p), slices.Index(schemas.Priorities, schemas.Normal))
}

// kinds are in the order of attention.
var kinds = []schemas.ConcernKind{
	schemas.ConcernQuestion, schemas.ConcernApproval, schemas.ConcernLeave, schemas.ConcernFailure, schemas.ConcernEscalation,
	schemas.ConcernWork, schemas.ConcernMessage, schemas.ConcernYours, schemas.ConcernRunning, schemas.ConcernDead, schemas.ConcernBlocked,
	schemas.ConcernUnanswered, schemas.ConcernLapsed, schemas.ConcernSilent, schemas.ConcernNoTakers,
}

// rank is the place of a kind in that order, the most pressing first.
func rank(k schemas.ConcernKind) int { return slices.Index(kinds, k) }

// count reads the mailboxes, which later steps go through, and counts what their counters say. It reads at most [maxRows]
// mailboxes, and as many rows of what waits for an answer and of what waits for others.
func (l *lister) count() {
	for b := range untilError(l, l.Boxes()) {
		if len(l.boxes) == maxRows {
			l.running.incomplete, l.stuck.incomplete = true, true
			break
		}
		l.boxes = append(l.boxes, b)
		l.counts.Claimable += b.Pending
		l.counts.Held += b.Held
	}
	l.counts.Waiting = l.countDistinct(l.Oldest(store.InState(schemas.Waiting), 0))
	l.counts.Blocked = l.countDistinct(l.Oldest(store.AllDependents(), 0))
	for id := range untilError(l, l.Newest(store.All(), 0)) {
		l.counts.Sent = int(id) //nolint:gosec // ids count up from 1
		break
	}
	events, err := l.Events()
	l.counts.Events, l.err = events, cmp.Or(l.err, err)
}

// attending are those who are here, who holds most first.
func (l *lister) presentAgents() []schemas.Load {
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
	return l.largest(all)
}

// waits are the mailboxes from which something can be claimed.
func (l *lister) pendingBoxes() []schemas.Load {
	all := []schemas.Load{}
	for _, b := range l.boxes {
		if b.Pending > 0 {
			all = append(all, schemas.Load{Name: b.Address, Count: b.Pending})
		}
	}
	return l.largest(all)
}

func (l *lister) largest(all []schemas.Load) []schemas.Load {
	slices.SortStableFunc(all, func(a, b schemas.Load) int { return b.Count - a.Count })
	return all[:min(len(all), l.Limit)]
}

// untilError yields what is read until there is an error, and keeps that. So steps need not look at errors: the loop that
// runs them does.
func untilError[T any](l *lister, read iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range read {
			if l.err = cmp.Or(l.err, err); l.err != nil || !yield(v) {
				return
			}
		}
	}
}

// distinct counts the handoffs among the first rows. One that waits for several others has a row for each.
func (l *lister) countDistinct(ids iter.Seq2[schemas.ID, error]) int {
	found, rows := map[schemas.ID]bool{}, 0
	for id := range untilError(l, ids) {
		if rows++; rows > maxRows {
			break
		}
		found[id] = true
	}
	return len(found)
}

// first yields the records of the first handoffs. Where there are more, looking ended early for these parts. One that
// was found by an earlier step, or cannot be read, is passed over. What is passed over counts as looked at, so the work
// is bounded also where most were found before.
func (l *lister) records(ids iter.Seq2[schemas.ID, error], limit int, parts ...*part) iter.Seq[*store.Record] {
	return func(yield func(*store.Record) bool) {
		looked := 0
		for id := range untilError(l, ids) {
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

// tell adds to a row why the handoff stands so, and the last report of its holder.
func (l *lister) addReason(r *row) error {
	if r.record == nil {
		return nil
	}
	reason, err := l.Reader.Reason(l.View, r.record)
	if reason == "" && err == nil {
		reason, err = reading.CompletionRefusal(l.View, r.record)
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

// next are the calls by which a person goes on with a concern, the likeliest first.
func (l *lister) nextCalls(c row) []schemas.Advice {
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
		drop := do(schemas.ActCancel, "says that nobody is to go on with it")
		if l.retryRefused(c.record) {
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
		return append(judgeCalls(c.BlockedBy), do(schemas.ActCancel, "ends this one"), show)
	case schemas.ConcernLapsed, schemas.ConcernNoTakers:
		other := schemas.UpdateIn{HandoffID: id, Action: schemas.ActAmend, To: schemas.Blank}
		return []schemas.Advice{schemas.Call(other, "gives it to another"), show}
	case schemas.ConcernRunning, schemas.ConcernLeave: // handoff allow is no call of a tool
	}
	return []schemas.Advice{show}
}

// retryRefused tells whether the texts of a handoff are no longer kept, or cannot be read.
func (l *lister) retryRefused(r *store.Record) bool {
	lessened, err := reading.LostContent(l.View, r)
	return lessened || err != nil
}

// judgeCalls are the two calls by which a person judges a result, where another handoff waits for that.
func judgeCalls(id schemas.ID) []schemas.Advice {
	accept := schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActAccept}
	back := schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActReturn, Note: schemas.Blank}
	return []schemas.Advice{
		schemas.Call(accept, "accepts that for which it waits, and opens this"),
		schemas.Call(back, "returns that with points to mend"),
	}
}
