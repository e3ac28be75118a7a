package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"handoff/schemas"
)

// maxMerge bounds what one transaction takes, in bytes.
const maxMerge = 256 << 20

// Merge brings the handoffs of an exported workspace into one that is in use, all in one transaction. From is a store
// that [Load] filled.
//
// A handoff keeps its id where that is free. Else it gets a new one, and where its old id or the name that its workflow
// has from it stands, in records, contents and notices of those that came along, the new one takes its place. Either is
// found by [View.Origins] under "WORKSPACE/ho_12".
//
// The registry gets, for each handoff, one event for each content that it had, with this content, and then one whose
// content is a [schemas.Imported] with the events of the other registry. So audits, redactions and readers need to know
// nothing of it, and what happened before stays provable.
//
// A handoff that is there already is left as it is. It is known by its first event, the same in all workspaces to which
// it was ever brought.
type Merge struct {
	From, To *Store
	Heading  schemas.ExportHeading
	By       schemas.Event // who imports, when, and how: agent, via, proof and time
	Salt     func() []byte // for the digest of one content

	// Arrive changes a record to what it is to be here, and says what it changed.
	Arrive func(*Record) string

	// Carried and Imported are the actions of the events.
	Carried, Imported string
}

// Merged is what a merge did.
type Merged struct {
	Added   int                       `json:"added"`   // handoffs
	Known   int                       `json:"known"`   // that were there already
	Open    int                       `json:"open"`    // of those added
	Notices int                       `json:"notices"` // that were added
	Numbers map[schemas.ID]schemas.ID `json:"renumbered,omitempty"`
}

// Run merges. The error is [schemas.Limit] for more than one transaction takes; then nothing was changed, as after every
// error. Who repeats it changes nothing more.
func (m Merge) Run(ctx context.Context) (done Merged, err error) {
	err = m.To.Update(ctx, func(tx *Tx) error {
		return m.From.View(ctx, func(v *View) error {
			r := merging{Merge: m, Tx: tx, from: v, ids: map[schemas.ID]schemas.ID{}, words: map[string]string{}}
			err := r.all()
			done = r.done
			return err
		})
	})
	return done, err
}

// merging is one run of the transaction.
type merging struct {
	Merge
	*Tx
	from  *View
	done  Merged
	size  int
	fresh []schemas.ID              // there, upwards
	ids   map[schemas.ID]schemas.ID // here, by those there
	words map[string]string         // what takes the place of which word
	lost  string                    // what is to be said of what the last record waited for
}

func (m *merging) all() error {
	for _, step := range []func() error{m.find, m.number, m.names} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, id := range m.fresh {
		if err := m.handoff(id); err != nil {
			return fmt.Errorf("import %s: %w", id, err)
		}
	}
	return m.notices()
}

// find tells the handoffs that are there already from the others.
func (m *merging) find() error {
	for id, err := range m.from.Oldest(All(), 0) {
		if err != nil {
			return err
		}
		r, err := m.from.Record(id)
		if err != nil {
			return err
		}
		mark, err := m.from.identity(r)
		if err != nil {
			return err
		}
		known, err := m.Tx.known(mark)
		switch {
		case err != nil:
			return err
		case known != 0:
			m.done.Known++
			m.ids[id] = known
		default:
			m.fresh = append(m.fresh, id)
		}
	}
	return nil
}

// identity is by what a handoff is known in every workspace: its first id, and the digest of its first event, which has
// the salted digest of what was sent.
func (v *View) identity(r *Record) (string, error) {
	if r.Imported != "" {
		return r.Imported, nil
	}
	events, err := v.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return "", err
	}
	first, err := v.r.Get(Events, number(events[len(events)-1].N))
	return r.ID.String() + ":" + digest(first), err
}

// known is the handoff of an identity, 0 for none.
func (v *View) known(mark string) (schemas.ID, error) {
	for id, err := range v.Origins(mark) {
		return id, err
	}
	first, _, _ := strings.Cut(mark, ":")
	id, _ := schemas.ParseID(first)
	r, err := v.Record(id)
	if r == nil || err != nil {
		return 0, err
	}
	if here, err := v.identity(r); err != nil || here != mark {
		return 0, err
	}
	return id, nil
}

// number gives those that are new their ids.
func (m *merging) number() error {
	taken := map[schemas.ID]bool{}
	for _, id := range m.fresh {
		r, err := m.Record(id)
		if err != nil {
			return err
		}
		if taken[id] = r != nil; r == nil {
			m.ids[id] = id
			if err := m.reach(Records, uint64(id)); err != nil {
				return err
			}
		}
	}
	m.done.Numbers = map[schemas.ID]schemas.ID{}
	for _, id := range m.fresh {
		if !taken[id] {
			continue
		}
		now, err := m.NewID()
		if err != nil {
			return err
		}
		m.ids[id], m.done.Numbers[id] = now, now
	}
	for there, here := range m.ids {
		if there != here {
			m.words[there.String()] = here.String()
			m.words[fmt.Sprintf("wf_%d", there)] = fmt.Sprintf("wf_%d", here)
		}
	}
	return nil
}

// reach lets no later number of a space be n or less.
func (t *Tx) reach(s Space, n uint64) error {
	last, err := t.w.Get(Sys, nextKey(s))
	if err != nil || lastNumber(last) >= n {
		return err
	}
	return t.w.Put(Sys, nextKey(s), number(n))
}

// wordsOfJSON are escapes and words, as they follow each other in JSON.
var wordsOfJSON = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\.|\w+`)

// here is a text of JSON with the ids that its handoffs have here.
func (m *merging) here(b []byte) []byte {
	if len(m.words) == 0 {
		return b
	}
	return wordsOfJSON.ReplaceAllFunc(b, func(word []byte) []byte {
		if now, ok := m.words[string(word)]; ok {
			return []byte(now)
		}
		return word
	})
}

// names adds agents and workflows that there are not. Those that there are stay as they are: work of a workflow of the
// same name is work of this workflow.
func (m *merging) names() error {
	for row, err := range m.from.r.Scan(Range{Space: Agents}) {
		if err == nil {
			err = m.unlessThere(Agents, row.Key, row.Value)
		}
		if err != nil {
			return err
		}
	}
	if len(m.fresh) == 0 {
		return nil
	}
	for row, err := range m.from.r.Scan(Range{Space: Workflows}) {
		if err == nil {
			err = m.unlessThere(Workflows, m.here(row.Key), row.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *merging) unlessThere(s Space, key, value []byte) error {
	there, err := m.w.Get(s, key)
	if there != nil || err != nil {
		return err
	}
	return m.w.Put(s, key, value)
}

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
	for _, p := range []*uint64{&r.Result, &r.Seen, &r.Note, &r.Ask, &r.Checkpoint, &r.Tree} {
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

// history are the contents of a handoff, oldest first, and what the last event says of where it is from. Contents to which
// they refer are kept. The number of an event here is known before it is there, because numbers have no gaps.
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
			m.size += len(kept)
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
		{&there.Parent, &r.Parent}, {&there.Forwarded, &r.Forwarded}, {&there.RetryOf, &r.RetryOf},
		{&there.Successor, &r.Successor}, {&there.Rollback, &r.Rollback}, {&there.ReworkOf, &r.ReworkOf},
		{&there.Review, &r.Review}, {&there.Reviews, &r.Reviews},
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

// Used tells whether anybody did more in a store than to look, or a copy into it was not finished: [Copy] takes the place
// of the others.
func Used(ctx context.Context, b Backend) (bool, error) {
	if err := Usable(ctx, b); errors.Is(err, ErrUnfinished) {
		return false, nil
	} else if err != nil {
		return true, err
	}
	for _, s := range used {
		if rows, err := after(ctx, b, s, nil); err != nil || len(rows) > 0 {
			return true, err
		}
	}
	return false, nil
}
