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
type factsFunc func(*store.View, *store.Record, *schemas.ListItem)

// HandoffPage makes one page of the agent's inbox, or of another list of handoffs, such as the ones that the agent
// sent. It calls boxes only for an inbox. It omits damaged records, so that one damaged record does not prevent the
// list. The number of handoffs that are examined for one page is limited, and handoffs that do not match count, too: so
// a page may be empty and still have a cursor. The error is invalid for a cursor that names no handoff, else it comes
// from the store.
//
// tell adds facts that are not in the record to a row. Handoffs reads the record of each handoff that it examines.
// After the page is full, it goes on only to count the total; for a list without filters, it reads no more records
// then.
func (f Filter) HandoffPage(v *store.View, a schemas.Agent, boxes boxesFunc, tell factsFunc) (schemas.ListOut, error) {
	p := newPage()
	ids, err := f.candidateIDs(v, a, boxes)
	if err != nil {
		return p.out, err
	}
	last, looked, unseen := schemas.ID(0), 0, slices.Clone(f.words)
	for id, err := range ids {
		if err != nil {
			return p.out, err
		}
		if looked == MaxScanned {
			p.setCursor(last)
			p.out.AtLeast = true
			break
		}
		looked++
		if p.out.Cursor != "" && f.showsAll() {
			p.out.Total++ // the rest is only counted
			continue
		}
		r := f.readCandidate(v, id, a)
		if r == nil {
			continue
		}
		shown, err := f.matches(v, r, &unseen)
		if err != nil {
			return p.out, err
		}
		if shown {
			p.out.Total++
			if len(p.out.Items) == f.in.Limit || p.out.Cursor != "" || !p.addRow(f.buildRow(v, r, tell)) {
				p.setCursor(last)
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

// readCandidate returns the record of a handoff, or nil if the list must not show it: the record is damaged, or the
// list is the inbox of an agent that the pending handoff excludes.
func (f Filter) readCandidate(v *store.View, id schemas.ID, a schemas.Agent) *store.Record {
	r, err := v.Record(id)
	inbox := f.in.Box == "" || f.in.Box == "inbox"
	if err != nil || r == nil || inbox && r.Status == schemas.Pending && slices.Contains(r.Excluded, a) {
		return nil
	}
	return r
}

// addMissingWords adds two facts to an answer if some search words occur in no handoff: these words, and the search
// text without them.
func (f Filter) addMissingWords(out *schemas.ListOut, unseen []string) {
	if len(unseen) > 0 {
		seen := slices.DeleteFunc(slices.Clone(f.words), func(w string) bool { return slices.Contains(unseen, w) })
		out.UnmatchedWords, out.MatchedWords = unseen, strings.Join(seen, " ")
	}
}

// buildRow returns the row of a handoff with all facts.
func (Filter) buildRow(v *store.View, r *store.Record, tell factsFunc) schemas.ListItem {
	it := HandoffItem(r)
	tell(v, r, &it)
	return it
}

// NoticePage makes one page of an agent's notices, read and unread, newest first. It also returns the ids of the
// notices on the page, which the caller marks as read in the same transaction; Notices itself marks none.
func (f Filter) NoticePage(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.buildNoticePage(v, a, v.Notices(a, schemas.NoticeID(f.cursor)))
}

// UnreadNoticePage does the same as [Filter.NoticePage] for unread notices only. Its cursor says only that there are
// more notices. It cannot be used for the next page: the shown notices are no longer unread then, so the next call
// begins at the start of the list.
func (f Filter) UnreadNoticePage(v *store.View, a schemas.Agent) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	return f.buildNoticePage(v, a, v.UnreadNotices(a))
}

// buildNoticePage makes a page of the given notices. After the page is full, it only counts the matching notices, at
// most [MaxScanned]. The number of notices that it reads is not limited: if few match, it may read all notices of the
// agent.
func (f Filter) buildNoticePage(
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
		unread, err := v.IsNoticeUnread(a, n.ID)
		if err != nil {
			return p.out, nil, err
		}
		if len(shown) == f.in.Limit || !p.addRow(noticeRow(v, n, unread)) {
			p.setCursor(schemas.ID(shown[len(shown)-1]))
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

// clearTotal removes the total number of rows from the answer if the page has all rows, or if it is not the first page,
// because the total would then count only the rows from that page on.
func (f Filter) clearTotal(out *schemas.ListOut) {
	if out.Cursor == "" || f.cursor != 0 {
		out.Total, out.AtLeast = 0, false
	}
}

// setCursor ends the page by setting its cursor to the row last, unless the page has ended before. Rows after that are
// only counted.
func (p *page) setCursor(last schemas.ID) {
	if p.out.Cursor == "" {
		p.out.Cursor = last.String()
	}
}

// newPage returns a page without rows. Its list is empty and not nil, so that JSON has [].
func newPage() *page { return &page{out: schemas.ListOut{Items: []schemas.ListItem{}}, left: MaxBytes} }

// addRow adds a row if the page has room for it, and returns false if not. The first row is always added. After a row
// that did not fit, the page has no room left, so that no shorter later row comes before that row.
func (p *page) addRow(it schemas.ListItem) bool {
	b, err := json.Marshal(it)
	p.left -= len(b) + 1
	if err != nil || p.left < 0 && len(p.out.Items) > 0 {
		return false
	}
	p.out.Items = append(p.out.Items, it)
	return true
}

// HandoffItem returns the row of a handoff. It leaves fields with usual values empty: the type task_handoff, normal
// priority, the first attempt, and a holder that equals the recipient. The title shows hidden characters as escapes.
func HandoffItem(r *store.Record) schemas.ListItem {
	it := schemas.ListItem{
		HandoffID: r.ID, From: r.From, Rule: r.Rule, To: r.To, Status: r.Status, Title: schemas.EscapeHidden(r.Title),
		At: r.Created.Time().Truncate(time.Second), Workflow: r.Workflow, Tags: r.Tags, BlockedBy: BlockerTexts(r),
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
	if agent, _ := r.To.SingleAgent(); r.Holder != agent {
		it.Holder = r.Holder
	}
	return it
}

// BlockerTexts lists the reasons why no agent can claim a handoff yet: first the approval that it waits for, then the
// ids of its open dependencies, in order. A dependency whose result must also be accepted has a prefix.
func BlockerTexts(r *store.Record) (blocked []string) {
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

// noticeRow returns the row of a notice. If the notice is a question that the reader need not answer any more, or an
// answer that the asking agent has used, the row says so. A request for a permission counts as over for every agent,
// because only a person grants permissions. If the notice says that a handoff ended without a result, the row names the
// handoff that continues the work, so that the reader does not send the work again.
func noticeRow(v *store.View, n schemas.Notice, unread bool) schemas.ListItem {
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

// badEnds lists the actions that end a handoff without a result. The work may go on after them in another handoff.
var badEnds = []life.Action{life.Fail, life.Reject, life.Refuse, life.Cancel, life.Expire, life.Exhaust}

// NoticeItem returns the row of a notice. Title and text show hidden characters as escapes.
func NoticeItem(n schemas.Notice, unread bool) schemas.ListItem {
	return schemas.ListItem{
		NoticeID: n.ID, HandoffID: n.About, From: n.From, Rule: n.Rule, At: n.At.Truncate(time.Second), Kind: n.Kind, Unread: unread,
		Title: schemas.EscapeHidden(n.Title), Text: schemas.EscapeHidden(n.Text),
	}
}
