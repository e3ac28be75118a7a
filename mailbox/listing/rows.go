package listing

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// inboxFunc returns the mailboxes from which an agent may claim, in the snapshot of the page, and whether a handoff in
// them fits the agent.
type inboxFunc func(schemas.Agent) (boxes []schemas.Address, fits func(*store.Record) bool, err error)

// factsFunc adds facts to a row that are not in the record.
type factsFunc func(*store.View, *store.Record, *schemas.ListItem)

// HandoffPage returns one page of handoffs: the agent's inbox, or another list, such as the handoffs that the agent
// sent. It calls inbox only for an inbox, and calls tell for each row. It omits damaged records. A page may be empty
// and still have a cursor, because handoffs that do not match count towards [MaxScanned]. The error is invalid for a
// cursor that names no handoff. Other errors come from the store.
func (f Filter) HandoffPage(v *store.View, a schemas.Agent, inbox inboxFunc, tell factsFunc) (schemas.ListOut, error) {
	p := newPage()
	ids, fits, err := f.candidateIDs(v, a, inbox)
	if err != nil {
		return p.out, err
	}
	last, looked, unseen := schemas.ID(0), 0, slices.Clone(f.words)
	for id, err := range ids {
		if err != nil {
			return p.out, err
		}
		if looked == MaxScanned {
			p.endAfter(last)
			p.out.AtLeast = true
			break
		}
		looked++
		if p.out.Cursor != "" && f.showsAll() {
			p.out.Total++ // the rest is only counted
			continue
		}
		r := readCandidate(v, id, fits)
		if r == nil {
			continue
		}
		shown, err := f.matches(v, r, &unseen)
		if err != nil {
			return p.out, err
		}
		if shown {
			p.out.Total++
			it := HandoffItem(r)
			tell(v, r, &it)
			if len(p.out.Items) == f.in.Limit || p.out.Cursor != "" || !p.addRow(it) {
				p.endAfter(last)
			}
		}
		last = id
	}
	if p.out.Cursor == "" && f.cursor == 0 { // all rows were examined
		f.addMissingWords(&p.out, unseen)
	}
	f.clearUselessTotal(&p.out)
	return p.out, nil
}

// readCandidate returns the record of a handoff, or nil for a damaged record and for a handoff that does not fit.
func readCandidate(v *store.View, id schemas.ID, fits func(*store.Record) bool) *store.Record {
	r, err := v.Record(id)
	if err != nil || r == nil || !fits(r) {
		return nil
	}
	return r
}

// addMissingWords adds to the result the search words that occur in no handoff, and the search text without these
// words.
func (f Filter) addMissingWords(out *schemas.ListOut, unseen []string) {
	if len(unseen) > 0 {
		seen := slices.DeleteFunc(slices.Clone(f.words), func(w string) bool { return slices.Contains(unseen, w) })
		out.UnmatchedWords, out.MatchedWords = unseen, strings.Join(seen, " ")
	}
}

// NoticePage returns one page of an agent's notices, newest first. The result shown has the ids of the notices on the
// page. The caller marks these notices as read in the same transaction. After the page is full, NoticePage only counts
// matching notices, up to [MaxScanned]. If few notices match, it may read all notices of the agent.
//
// With onlyUnread the page has only unread notices, and a cursor in the result only shows that more notices exist. The
// next call needs no cursor, because the shown notices are then read.
func (f Filter) NoticePage(
	v *store.View, a schemas.Agent, onlyUnread bool,
) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	p, all := newPage(), v.Notices(a, schemas.NoticeID(f.cursor))
	if onlyUnread {
		all = v.UnreadNotices(a)
	}
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
			p.endAfter(schemas.ID(shown[len(shown)-1]))
			continue
		}
		shown = append(shown, n.ID)
	}
	f.clearUselessTotal(&p.out)
	return p.out, shown, nil
}

// page is a list under construction.
type page struct {
	out  schemas.ListOut
	left int // bytes of room
}

// clearUselessTotal removes the total number of rows if the page has all rows. It also removes the total from any page
// except the first, because the total would then count only the rows from that page on.
func (f Filter) clearUselessTotal(out *schemas.ListOut) {
	if out.Cursor == "" || f.cursor != 0 {
		out.Total, out.AtLeast = 0, false
	}
}

// endAfter ends the page after the row last. It does nothing if the page has ended before. Rows after the end are only
// counted.
func (p *page) endAfter(last schemas.ID) {
	p.out.Cursor = cmp.Or(p.out.Cursor, last.String())
}

// newPage returns a page without rows. Its list is empty and not nil, so that JSON has [].
func newPage() *page { return &page{out: schemas.ListOut{Items: []schemas.ListItem{}}, left: MaxBytes} }

// addRow adds a row, and returns false if the page has no room for the row. It always adds the first row. After the
// first row that does not fit, it adds no further row, so that the order stays right.
func (p *page) addRow(it schemas.ListItem) bool {
	b, err := json.Marshal(it)
	p.left -= len(b) + 1
	if err != nil || p.left < 0 && len(p.out.Items) > 0 {
		return false
	}
	p.out.Items = append(p.out.Items, it)
	return true
}

// HandoffItem returns the row of a handoff. It leaves fields with usual values empty, such as normal priority and the
// first attempt. It shows hidden characters in the title as escapes.
func HandoffItem(r *store.Record) schemas.ListItem {
	it := schemas.ListItem{
		HandoffID: r.ID, From: r.From, Rule: r.Rule, To: r.To, Status: r.Status, Title: schemas.EscapeHidden(r.Title),
		At: r.Created.Time().Truncate(time.Second), Workflow: r.Workflow, Tags: r.Tags, Role: r.Role, BlockedBy: BlockerTexts(r),
		Deadline: r.Deadline.Ptr(), NotBefore: r.NotBefore.Ptr(), Successor: r.Successor,
		Round: r.Round, Accepted: r.Accepted != 0, Priority: r.UnusualPriority(),
	}
	if r.Type != schemas.TypeHandoff {
		it.Type = r.Type
	}
	if n := r.AttemptNumber(); n > 1 {
		it.Attempt = n
	}
	if agent, _ := r.To.SingleAgent(); r.Holder != agent {
		it.Holder = r.Holder
	}
	return it
}

// BlockerTexts returns the reasons why no agent can claim a handoff yet: "approval" if it waits for approval, then the
// ids of its open dependencies. If the result of a dependency must also be accepted, the text is "acceptance of " with
// the id.
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

// noticeRow returns the row of a notice. Settled is true for a question that the reader need not answer any more. If
// the notice reports that a handoff ended badly, the row names the successor of the handoff, so that the reader does
// not send the work again.
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

// badEnds lists the actions that end a handoff without a result.
var badEnds = []life.Action{life.Fail, life.Reject, life.Refuse, life.Cancel, life.Expire, life.Exhaust}

// NoticeItem returns the row of a notice. It shows hidden characters in title and text as escapes. The title is that of
// the handoff or the message, without the word before it in the notice.
func NoticeItem(n schemas.Notice, unread bool) schemas.ListItem {
	return schemas.ListItem{
		NoticeID: n.ID, HandoffID: n.About, From: n.From, Rule: n.Rule, At: n.At.Truncate(time.Second), Kind: n.Kind, Unread: unread,
		Title: schemas.EscapeHidden(strings.TrimPrefix(n.Title, "Handoff: ")), Text: schemas.EscapeHidden(n.Text),
	}
}
