package store

import (
	"context"
	"fmt"
	"regexp"
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
			r := merging{Merge: m, Tx: tx, from: v, ids: map[schemas.ID]schemas.ID{}, words: map[string]string{}, kept: map[string]bool{}}
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
	kept  map[string]bool           // digests of contents that are in size
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
		known, err := m.known(mark)
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
