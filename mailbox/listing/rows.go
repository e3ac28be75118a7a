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

// boxesFunc returns the mailboxes from which an agent may claim. It reads the snapshot of the page.
type boxesFunc func(schemas.Agent) ([]schemas.Address, error)

// factsFunc adds facts from outside of the record to a row.
type factsFunc func(*store.View, *store.Record, *schemas.Item)

// Handoffs makes one page of a box other than notices, for an agent. It calls boxes only for an inbox. It omits damaged
// records, so that one does not stop the others. Rows that do not match count as examined, so a page may be empty and
// still have a cursor. The error is invalid for a cursor that names no handoff, else it comes from the store.
//
// tell adds facts from outside of the record to a row. Handoffs reads a record for each examined row; for a list
// without filters it reads none after the end of the page.
func (f Filter) Handoffs(v *store.View, a schemas.Agent, boxes boxesFunc, tell factsFunc) (schemas.ListOut, error) {
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
		if looked == MaxScanned {
			p.endAt(last)
			p.out.AtLeast = true
			break
		}
		looked++
		if p.out.Cursor != "" && f.showsAll() {
			p.out.Total++ // the rest is only counted
			continue
		}
		r := f.candidate(v, id, a)
		if r == nil {
			continue
		}
		shown, err := f.matches(v, r, &unseen)
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
	if p.out.Cursor == "" && f.cursor == 0 { // all rows were examined
		f.addMissingWords(&p.out, unseen)
	}
	f.clearTotal(&p.out)
	return p.out, nil
}

// candidate returns the record of a handoff. It returns nil if the record is damaged, or if the agent of this inbox may
// not claim it.
func (f Filter) candidate(v *store.View, id schemas.ID, a schemas.Agent) *store.Record {
	r, err := v.Record(id)
	inbox := f.in.Box == "" || f.in.Box == "inbox"
	if err != nil || r == nil || inbox && r.Status == schemas.Pending && slices.Contains(r.Excluded, a) {
		return nil
	}
	return r
}

// addMissingWords adds the search words that no record has, and the search without them.
func (f Filter) addMissingWords(out *schemas.ListOut, unseen []string) {
	if len(unseen) > 0 {
		seen := slices.DeleteFunc(slices.Clone(f.words), func(w string) bool { return slices.Contains(unseen, w) })
		out.UnmatchedWords, out.MatchedWords = unseen, strings.Join(seen, " ")
	}
}

// row returns the row of a handoff with all facts.
func (Filter) row(v *store.View, r *store.Record, tell factsFunc) schemas.Item {
	it := Item(r)
	tell(v, r, &it)
	return it
}

// Notices makes one page of an agent's notices, read and unread, newest first, and returns the ids of the shown ones.
// It marks none as read: its caller does, in the same transaction.
func (f Filter) Notices(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.notices(v, a, v.Notices(a, schemas.NoticeID(f.cursor)))
}

// Unread is [Filter.Notices] for unread notices. Its cursor only says that there are more, and cannot be used: shown
// notices are no longer unread, so the next call begins at the start.
func (f Filter) Unread(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.notices(v, a, v.UnreadBy(a))
}

// notices makes a page of the given notices. After the page is full, it only counts matching notices, up to
// [MaxScanned]. There is no limit for notices that do not match: it may read all notices of the agent.
func (f Filter) notices(
	v *store.View, a schemas.Agent, all iter.Seq2[schemas.Notice, error],
) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	p := newPage()
	for n, err := range all {
		if err != nil {
			return p.out, nil, err
		}
		if !f.matchesNotice(n) {
			continue
		}
		if p.out.Total++; p.out.Cursor != "" {
			if p.out.Total == MaxScanned {
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
	f.clearTotal(&p.out)
	return p.out, shown, nil
}

// page is a list under construction.
type page struct {
	out  schemas.ListOut
	left int // bytes of room
}

// clearTotal removes the total from a list that has everything, and from later pages, which do not know it.
func (f Filter) clearTotal(out *schemas.ListOut) {
	if out.Cursor == "" || f.cursor != 0 {
		out.Total, out.AtLeast = 0, false
	}
}

// endAt ends the page after a row, unless it has ended before. Later rows are only counted.
func (p *page) endAt(last schemas.ID) {
	if p.out.Cursor == "" {
		p.out.Cursor = last.String()
	}
}

// newPage returns a page without rows. Its list is empty and not nil, so that JSON has [].
func newPage() *page { return &page{out: schemas.ListOut{Items: []schemas.Item{}}, left: MaxBytes} }

// add adds a row if there is room for it. It always adds the first row. A row without room still uses up the rest of
// the room, so no later row overtakes it.
func (p *page) add(it schemas.Item) bool {
	b, err := json.Marshal(it)
	p.left -= len(b) + 1
	if err != nil || p.left < 0 && len(p.out.Items) > 0 {
		return false
	}
	p.out.Items = append(p.out.Items, it)
	return true
}

// Item returns the row of a handoff. It omits usual values: the type task_handoff, normal priority, the first attempt,
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

// BlockedBy lists the reasons that block a claim: approval first, then dependencies by id, with a prefix for a
// dependency whose result must be accepted.
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

// noticeRow returns the row of a notice. It marks a question that no longer waits for its reader's answer, and an
// answer that was taken up. A permission is for a person to grant, so its question counts as over for every agent. The
// notice of a bad end names the successor of the handoff, so that its reader does not send the work again.
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

// NoticeItem returns the row of a notice. Title and text show hidden characters as escapes.
func NoticeItem(n schemas.Notice, unread bool) schemas.Item {
	return schemas.Item{
		NoticeID: n.ID, HandoffID: n.About, From: n.From, Rule: n.Rule, At: n.At.Truncate(time.Second), Kind: n.Kind, Unread: unread,
		Title: schemas.Visible(n.Title), Text: schemas.Visible(n.Text),
	}
}
