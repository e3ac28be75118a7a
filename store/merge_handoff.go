package store

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"handoff/schemas"
)

// handoff brings one along.
func (m *merging) handoff(id schemas.ID) error {
	r, err := m.record(id)
	if err != nil {
		return err
	}
	said, about, err := m.history(id)
	if err != nil {
		return err
	}
	if r.Body = about.Contents[r.Body]; r.Body == 0 {
		return missing(true, "what was sent with %s", id)
	}
	for _, p := range []*uint64{&r.Result, &r.Seen, &r.Refused, &r.Note, &r.Ask, &r.Checkpoint, &r.Tree} {
		*p = about.Contents[*p]
	}
	r.Late = slices.DeleteFunc(schemas.Map(r.Late, func(n uint64) uint64 { return about.Contents[n] }), func(n uint64) bool { return n == 0 })
	from := fmt.Sprintf("imported from %s/%s", m.Heading.Workspace, id)
	about.Note = strings.Join(slices.DeleteFunc([]string{from, m.lost, m.Arrive(r)}, func(s string) bool { return s == "" }), "; ")

	var was *Record
	change := func(action string, c Content) error {
		if m.size += len(c.Bytes); m.size > maxMerge {
			return schemas.Errorf(schemas.Limit, "there is more than %d bytes to import at once", maxMerge).
				WithHint("Nothing was changed. Import it into an empty workspace, or export workflow by workflow.")
		}
		now, e := r.Clone(), m.By
		e.Action, e.To = action, r.Status
		_, err := m.Change(was, &now, e, c)
		was = &now
		return err
	}
	for c, err := range said {
		if err == nil {
			err = change(m.Carried, c)
		}
		if err != nil {
			return err
		}
	}
	b, err := schemas.Encode(about)
	if err != nil {
		return err
	}
	if err := change(m.Imported, Content{b, m.Salt()}); err != nil {
		return err
	}
	m.done.Added++
	if !r.Status.Ended() {
		m.done.Open++
	}
	words, err := m.from.r.Get(Words, number(id))
	if err != nil || words == nil {
		return err
	}
	return m.w.Put(Words, number(r.ID), words)
}

// history are the contents of a handoff, oldest first, and what the last event says of where it is from. Contents to
// which they refer are kept. The number of an event here is known before it is there, because numbers have no gaps.
func (m *merging) history(id schemas.ID) (iter.Seq2[Content, error], schemas.Imported, error) {
	about := schemas.Imported{
		Workspace: m.Heading.Workspace, Handoff: id, Events: m.Heading.Events, Root: m.Heading.Root, Contents: map[uint64]uint64{},
	}
	r, err := m.from.Record(id)
	if err != nil {
		return nil, about, err
	}
	events, err := m.from.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return nil, about, err
	}
	next, err := m.Events()
	if err != nil {
		return nil, about, err
	}
	slices.Reverse(events)
	var said []schemas.Event
	for _, e := range events {
		raw, err := m.from.r.Get(Events, number(e.N))
		if err != nil {
			return nil, about, err
		}
		about.History = append(about.History, slices.Clone(raw))
		if e.Said != "" {
			said = append(said, e)
			next++
			about.Contents[e.N] = next
		}
	}
	return func(yield func(Content, error) bool) {
		for _, e := range said {
			if c, err := m.said(e); !yield(c, err) || err != nil {
				return
			}
		}
	}, about, nil
}

// said is the content of an event there, under its salt: where no id in it changed it has the same digest here.
func (m *merging) said(e schemas.Event) (c Content, err error) {
	if c.Bytes, err = m.from.Said(e.Handoff, e.N); err != nil {
		return c, err
	}
	salt, err := m.from.r.Get(Salts, number(e.N))
	if err != nil {
		return c, err
	}
	for _, digest := range namedDigest.FindAllString(string(c.Bytes), -1) {
		kept, err := m.from.Kept(digest)
		if err == nil && kept != nil {
			if !m.kept[digest] {
				m.kept[digest] = true
				m.size += len(kept)
			}
			err = m.Keep(kept)
		}
		if err != nil {
			return c, err
		}
	}
	c.Bytes, c.Salt = m.here(c.Bytes), slices.Clone(salt)
	return c, nil
}

// record is the record of a handoff as it is to be here, but for its contents. Claims and tokens stay where they were
// made. References to what did not come along are none here; work that waits for it is left to a person.
func (m *merging) record(id schemas.ID) (*Record, error) {
	b, err := m.from.r.Get(Records, number(id))
	if err != nil {
		return nil, err
	}
	there, err := decodeRecord(b)
	if err != nil {
		return nil, err
	}
	mark, err := m.from.identity(there)
	if err != nil {
		return nil, err
	}
	r, err := decodeRecord(m.here(b))
	if err != nil {
		return nil, err
	}
	for _, p := range []struct{ there, here *schemas.ID }{
		{&there.Parent, &r.Parent},
		{&there.Forwarded, &r.Forwarded},
		{&there.RetryOf, &r.RetryOf},
		{&there.Successor, &r.Successor},
		{&there.Rollback, &r.Rollback},
		{&there.ReworkOf, &r.ReworkOf},
		{&there.Review, &r.Review},
		{&there.Reviews, &r.Reviews},
	} {
		*p.here = m.ids[*p.there]
	}
	r.ID, r.Imported, r.OriginID = m.ids[id], mark, cmp.Or(r.OriginID, fmt.Sprintf("%s/%s", m.Heading.Workspace, id))
	r.Token, r.Voided, r.Conn, r.SentWith, r.Event = "", nil, "", "", 0
	for i := range r.Owes {
		r.Owes[i].After = 0 // from the beginning, because the order of ids may be another
	}
	r.Freed, r.AfterAccepted = m.mapped(there.Freed), m.mapped(there.AfterAccepted)
	return r, m.waits(r, there.After)
}

// mapped are the ids here of those that came along.
func (m *merging) mapped(there []schemas.ID) (here []schemas.ID) {
	for _, id := range there {
		if now := m.ids[id]; now != 0 {
			here = append(here, now)
		}
	}
	return here
}

// waits sets what a handoff waits for. What was there already may have ended since.
func (m *merging) waits(r *Record, there []schemas.ID) error {
	r.After, m.lost = nil, ""
	for _, id := range there {
		before := m.ids[id]
		on, err := m.Record(before)
		switch {
		case err != nil:
			return err
		case before == 0 || on != nil && on.Status.Ended() && on.Status != schemas.Completed:
			r.NeedsApproval, m.lost = true, fmt.Sprintf("it waited for %s there, which it cannot here: a person approves it", id)
		case on != nil && on.Status == schemas.Completed:
			r.Freed = append(r.Freed, before)
		default:
			r.After = append(r.After, before)
		}
	}
	return nil
}

// notices adds those about handoffs that came along, and messages that there are not.
func (m *merging) notices() error {
	fresh := map[schemas.ID]bool{}
	for _, id := range m.fresh {
		fresh[id] = true
	}
	type letter struct {
		to, from schemas.Agent
		at       Time
		text     string
	}
	there := map[letter]bool{}
	var of schemas.Agent
	for row, err := range m.from.r.Scan(Range{Space: Notices}) {
		if err != nil {
			return err
		}
		was, err := fromJSON[schemas.Notice](row)
		if err != nil {
			return err
		}
		n, err := fromJSON[schemas.Notice](Row{Value: m.here(row.Value)})
		if err != nil {
			return err
		}
		if n.To != of {
			of = n.To
			clear(there)
			for old, err := range m.Notices(of, 0) {
				if err != nil {
					return err
				}
				there[letter{old.To, old.From, At(old.At), old.Text}] = true
			}
		}
		if was.About != 0 && !fresh[was.About] || was.About == 0 && there[letter{n.To, n.From, At(n.At), n.Text}] {
			continue
		}
		unread, err := m.from.r.Get(Unread, row.Key)
		if err != nil {
			return err
		}
		id, err := m.Notify(n)
		if err == nil && unread == nil {
			err = m.Read(n.To, id)
		}
		if err != nil {
			return err
		}
		m.done.Notices++
	}
	return nil
}
