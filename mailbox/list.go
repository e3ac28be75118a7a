package mailbox

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"handoff/schemas"
	"handoff/store"
)

// How much one result holds, and one search looks at.
const (
	scanned = 1_000 // rows that are looked at where filters pass over most
	room    = 7_000 // bytes of rows in one result; the first is always shown
	listed  = 10    // rows of a list, unless asked otherwise
)

// List shows rows of the caller's mail: what it may claim, in the order of claiming (box inbox, the default); what it
// holds, or held, for an ended status (claimed); what it sent (sent); its notices (notices); or all handoffs of the
// workspace (all), the newest first. Any caller calls it. Notices that are shown count as read, unless the caller may
// only read; otherwise nothing changes.
//
// Filters leave rows out: status, workflow, tags (one of them), type, a time, and words of title, task, summary and
// tags. A result has ten rows, or limit, at most 50; 7,000 bytes, but at least one row; and looks at 1,000 rows.
// Where more may follow it has a cursor, which goes on behind the last row, also if that was claimed meanwhile.
// Damaged records are left out.
//
// The error is invalid for a query without a word, for a cursor that no list gave, for a workflow or a time that
// cannot be read, and for a box other than all without an agent. It can be repeated freely.
func (s *Service) List(ctx context.Context, by schemas.Caller, in schemas.ListIn) (schemas.ListOut, error) {
	if in.Limit == 0 {
		in.Limit = listed
	}
	f, err := s.filter(in)
	if err != nil {
		return schemas.ListOut{}, err
	}
	if in.Box != "all" && by.Agent == "" {
		return schemas.ListOut{}, schemas.Invalidf("agent", "is needed to know whose %s", cmp.Or(in.Box, "inbox")).
			WithHint("Say who you are.").WithNext(schemas.Call(schemas.ListIn{Box: "all"}, "lists what is of everybody"))
	}
	if in.Box == "notices" {
		return s.listNotices(ctx, by, in, f)
	}
	var out schemas.ListOut
	err = s.read(ctx, func(v *store.View) error {
		out = schemas.ListOut{Items: []schemas.Item{}}
		ids, err := s.source(v, by.Agent, in, f)
		if err != nil {
			return err
		}
		return f.collect(v, ids, in.Limit, &out)
	})
	return out, err
}

// source yields the handoffs of a box: those of the inbox in the order of claiming, others newest first.
func (s *Service) source(
	v *store.View, a schemas.Agent, in schemas.ListIn, f filter,
) (iter.Seq2[schemas.ID, error], error) {
	before := f.cursor
	switch in.Box {
	case "claimed":
		if in.Status != "" && in.Status.Ended() {
			return v.Newest(store.OnceHeldBy(a), before), nil
		}
		return v.Newest(store.HeldBy(a), before), nil
	case "sent":
		return v.Newest(store.SentBy(a), before), nil
	case "all":
		switch {
		case f.in.Workflow != "":
			return v.Newest(store.InWorkflow(schemas.Workflow(f.in.Workflow)), before), nil
		case in.Status != "":
			return v.Newest(store.InState(in.Status), before), nil
		}
		return v.Newest(store.All(), before), nil
	}
	if in.Status != "" && in.Status != schemas.Pending {
		return v.Newest(store.AddressedTo(schemas.Address(a)), before), nil
	}
	boxes, err := s.boxesOf(v, a)
	if err != nil {
		return nil, err
	}
	return after(v, v.Queue(boxes...), f.cursor)
}

// collect fills a list up to its limit, looking at a bounded number of rows.
func (f filter) collect(v *store.View, ids iter.Seq2[schemas.ID, error], limit int, out *schemas.ListOut) error {
	last, looked, left := schemas.ID(0), 0, room
	for id, err := range ids {
		if err != nil {
			return err
		}
		if len(out.Items) == limit || looked == scanned {
			out.Cursor = last.String()
			return nil
		}
		r := readable(v, id)
		if r == nil {
			continue
		}
		if ok, err := f.passes(v, r); err != nil {
			return err
		} else if ok && !fits(out, itemOf(r), &left) {
			out.Cursor = last.String()
			return nil
		}
		looked++
		last = id
	}
	return nil
}

// fits adds a row to a list unless there is no room left for it.
func fits(out *schemas.ListOut, it schemas.Item, left *int) bool {
	b, err := json.Marshal(it)
	*left -= len(b) + 1
	if err != nil || *left < 0 && len(out.Items) > 0 {
		return false
	}
	out.Items = append(out.Items, it)
	return true
}

// itemOf is a handoff as a row. What is as usual is left out.
func itemOf(r *store.Record) schemas.Item {
	it := schemas.Item{
		HandoffID: r.ID, From: r.From, To: r.To, Status: r.Status, Title: schemas.Visible(r.Title),
		At: r.Created.Time(), Workflow: r.Workflow, Tags: r.Tags,
	}
	if r.Type != schemas.TypeHandoff {
		it.Type = r.Type
	}
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

// listNotices lists an agent's notices, newest first, and marks those that it shows as read.
func (s *Service) listNotices(
	ctx context.Context, by schemas.Caller, in schemas.ListIn, f filter,
) (out schemas.ListOut, err error) {
	err = s.reading(ctx, by, func(v *store.View) (shown []schemas.NoticeID, err error) {
		out, shown, err = f.collectNotices(v, by.Agent, in.Limit)
		return shown, err
	})
	return out, err
}

// collectNotices fills a list with an agent's notices up to its limit, and tells which it shows.
func (f filter) collectNotices(
	v *store.View, a schemas.Agent, limit int,
) (out schemas.ListOut, shown []schemas.NoticeID, err error) {
	out.Items = []schemas.Item{}
	left := room
	for n, err := range v.Notices(a, schemas.NoticeID(f.cursor)) {
		if err != nil {
			return out, nil, err
		}
		if !f.passesNotice(n) {
			continue
		}
		unread, err := v.IsUnread(a, n.ID)
		if err != nil {
			return out, nil, err
		}
		if len(shown) == limit || !fits(&out, itemOfNotice(n, unread), &left) {
			out.Cursor = schemas.ID(shown[len(shown)-1]).String()
			break
		}
		shown = append(shown, n.ID)
	}
	return out, shown, nil
}

func itemOfNotice(n schemas.Notice, unread bool) schemas.Item {
	return schemas.Item{
		NoticeID: n.ID, HandoffID: n.About, From: n.From, At: n.At, Kind: n.Kind, Unread: unread,
		Title: schemas.Visible(n.Title), Text: schemas.Visible(n.Text),
	}
}
