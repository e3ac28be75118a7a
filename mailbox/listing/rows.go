package listing

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// boxesOf gives the mailboxes from which an agent may claim. It reads the snapshot of the page.
type boxesOf func(schemas.Agent) ([]schemas.Address, error)

// teller adds to a row what is not in the record alone.
type teller func(*store.View, *store.Record, *schemas.Item)

// Handoffs makes one page of a box other than notices, for an agent; boxes is asked only for an inbox. A record that is
// damaged is left out: it stops no other. Rows that filters pass over count as looked at, so a page may be empty and
// still have a cursor. The error is invalid for a cursor that names no handoff, else that of the store.
//
// Tell adds to a row what more than the record tells of it. It reads a record for each row that it looks at; of a list
// that shows everything, none behind the end of the page.
func (f Filter) Handoffs(v *store.View, a schemas.Agent, boxes boxesOf, tell teller) (schemas.ListOut, error) {
	p := newPage()
	ids, err := f.source(v, a, boxes)
	if err != nil {
		return p.out, err
	}
	last, looked, unseen := schemas.ID(0), 0, slices.Clone(f.words)
	for id, err := range ids {
		if err != nil {
			return p.out, err
		}
		if looked == Scanned {
			p.endAt(last)
			p.out.AtLeast = true
			break
		}
		looked++
		if p.out.Cursor != "" && f.passesAll() {
			p.out.Total++ // the rest is only counted
			continue
		}
		r := f.candidate(v, id, a)
		if r == nil {
			continue
		}
		shown, err := f.passes(v, r, &unseen)
		if err != nil {
			return p.out, err
		}
		if shown {
			p.out.Total++
			if len(p.out.Items) == f.in.Limit || p.out.Cursor != "" || !p.add(f.row(v, r, tell)) {
				p.endAt(last)
			}
		}
		last = id
	}
	if p.out.Cursor == "" && f.cursor == 0 { // all were looked at
		f.fewer(&p.out, unseen)
	}
	f.total(&p.out)
	return p.out, nil
}

// candidate is the record of a handoff; nil where it is damaged, and where an inbox offers it to others only.
func (f Filter) candidate(v *store.View, id schemas.ID, a schemas.Agent) *store.Record {
	r, err := v.Record(id)
	inbox := f.in.Box == "" || f.in.Box == "inbox"
	if err != nil || r == nil || inbox && r.Status == schemas.Pending && slices.Contains(r.Excluded, a) {
		return nil
	}
	return r
}

// fewer adds the words of the search that no record has, and the search without them.
func (f Filter) fewer(out *schemas.ListOut, unseen []string) {
	if len(unseen) > 0 {
		seen := slices.DeleteFunc(slices.Clone(f.words), func(w string) bool { return slices.Contains(unseen, w) })
		out.UnmatchedWords, out.MatchedWords = unseen, strings.Join(seen, " ")
	}
}

// row is a handoff as a row, with all that is told of it.
func (Filter) row(v *store.View, r *store.Record, tell teller) schemas.Item {
	it := Item(r)
	tell(v, r, &it)
	return it
}

// Notices makes one page of an agent's notices, newest first, and tells which it shows, read and unread ones. It marks
// none as read: whoever shows them does, in the same transaction.
func (f Filter) Notices(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.notices(v, a, v.Notices(a, schemas.NoticeID(f.cursor)))
}

// Unread is [Filter.Notices] of those that were not read. Its cursor says only that there are more, and leads nowhere:
// what is shown is no longer unread, so the next call begins anew.
func (f Filter) Unread(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.notices(v, a, v.UnreadBy(a))
}

// notices makes a page of these notices. Once it is full, those behind it are only counted, up to [Scanned] that match.
// What does not match has no bound: all notices of the agent may be read.
func (f Filter) notices(
	v *store.View, a schemas.Agent, all iter.Seq2[schemas.Notice, error],
) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	p := newPage()
	for n, err := range all {
		if err != nil {
			return p.out, nil, err
		}
		if !f.passesNotice(n) {
			continue
		}
		if p.out.Total++; p.out.Cursor != "" {
			if p.out.Total == Scanned {
				p.out.AtLeast = true
				break
			}
			continue // it is only counted
		}
		unread, err := v.IsUnread(a, n.ID)
		if err != nil {
			return p.out, nil, err
		}
		if len(shown) == f.in.Limit || !p.add(noticeRow(v, n, unread)) {
			p.endAt(schemas.ID(shown[len(shown)-1]))
			continue
		}
		shown = append(shown, n.ID)
	}
	f.total(&p.out)
	return p.out, shown, nil
}

// page is a list that is being filled.
type page struct {
	out  schemas.ListOut
	left int // bytes of room
}

// total leaves the total out of a list that shows everything, and of later pages, which do not know it.
func (f Filter) total(out *schemas.ListOut) {
	if out.Cursor == "" || f.cursor != 0 {
		out.Total, out.AtLeast = 0, false
	}
}

// endAt ends the page behind a row, unless it ended before. What follows is only counted.
func (p *page) endAt(last schemas.ID) {
	if p.out.Cursor == "" {
		p.out.Cursor = last.String()
	}
}

// newPage is a page without rows. Its list is empty and not nil, so that JSON has [].
func newPage() *page { return &page{out: schemas.ListOut{Items: []schemas.Item{}}, left: Room} }

// add adds a row unless there is no room left for it. The first row is always added. A row that is left out takes its
// room all the same, so none behind it comes before it.
func (p *page) add(it schemas.Item) bool {
	b, err := json.Marshal(it)
	p.left -= len(b) + 1
	if err != nil || p.left < 0 && len(p.out.Items) > 0 {
		return false
	}
	p.out.Items = append(p.out.Items, it)
	return true
}

// Item is a handoff as a row. What is as usual is left out: the type task_handoff, normal priority, the first attempt,
// and a holder that is the recipient. The title shows hidden characters as escapes.
func Item(r *store.Record) schemas.Item {
	it := schemas.Item{
		HandoffID: r.ID, From: r.From, Rule: r.Rule, To: r.To, Status: r.Status, Title: schemas.Visible(r.Title),
		At: r.Created.Time().Truncate(time.Second), Workflow: r.Workflow, Tags: r.Tags, BlockedBy: BlockedBy(r),
		Deadline: r.Deadline.Ptr(), NotBefore: r.NotBefore.Ptr(), Successor: r.Successor,
	}
	if r.Type != schemas.TypeHandoff {
		it.Type = r.Type
	}
	it.Round, it.Accepted = r.Round, r.Accepted != 0
	if r.Priority != schemas.Normal {
		it.Priority = r.Priority
	}
	if r.Attempt > 1 {
		it.Attempt = r.Attempt
	}
	if agent, _ := r.To.Directed(); r.Holder != agent {
		it.Holder = r.Holder
	}
	return it
}

// BlockedBy names for what a handoff waits before anyone may claim it: approval first, then other handoffs by id,
// with a word before those whose result has to be accepted.
func BlockedBy(r *store.Record) (blocked []string) {
	if r.NeedsApproval {
		blocked = append(blocked, "approval")
	}
	for _, id := range r.After {
		text := id.String()
		if slices.Contains(r.AfterAccepted, id) {
			text = schemas.AcceptanceOf + text
		}
		blocked = append(blocked, text)
	}
	return blocked
}

// noticeRow is a notice as a row of a list, which knows whether its question is still open for its reader, or its answer
// not taken up. A permission is for a person to grant, so nobody else is asked for it. One of a bad end names the handoff
// that took the place, so that nobody sends the work again.
func noticeRow(v *store.View, n schemas.Notice, unread bool) schemas.Item {
	it := NoticeItem(n, unread)
	if wants, asks := map[string]schemas.Status{"question": schemas.Waiting, "answer": schemas.Pending}[n.Kind]; asks {
		r, err := v.Record(n.About)
		it.Settled = err != nil || r == nil || r.Status != wants || r.Permission && n.Kind == "question"
	}
	if slices.Contains(badEnds, life.Action(n.Kind)) {
		if r, err := v.Record(n.About); err == nil && r != nil {
			it.Successor = r.Successor
		}
	}
	return it
}

// badEnds are the actions that end work without a result, after which it may go on under another id.
var badEnds = []life.Action{life.Fail, life.Reject, life.Refuse, life.Cancel, life.Expire, life.Exhaust}

// NoticeItem is a notice as a row. Title and text show hidden characters as escapes.
func NoticeItem(n schemas.Notice, unread bool) schemas.Item {
	return schemas.Item{
		NoticeID: n.ID, HandoffID: n.About, From: n.From, Rule: n.Rule, At: n.At.Truncate(time.Second), Kind: n.Kind, Unread: unread,
		Title: schemas.Visible(n.Title), Text: schemas.Visible(n.Text),
	}
}
