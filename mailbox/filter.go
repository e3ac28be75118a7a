package mailbox

import (
	"bytes"
	"iter"
	"slices"
	"time"

	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// filter says which rows a list shows.
type filter struct {
	in     schemas.ListIn
	words  []string
	since  time.Time
	cursor schemas.ID
}

// filter reads the filters of a list. A query without a word is refused: it would find everything.
func (s *Service) filter(in schemas.ListIn) (f filter, err error) {
	in.Tags = compose.Tags(in.Tags)
	f = filter{in: in, words: store.SplitWords(in.Query)}
	if in.Query != "" && len(f.words) == 0 {
		return f, schemas.Invalidf("query", "has no word").WithHint("Search for words of letters and digits.")
	}
	if in.Since != "" {
		now := s.Now()
		if f.since, err = schemas.ParseTime("since", in.Since, now); err != nil {
			return f, err
		}
		if f.since.After(now) { // a duration, meant backwards
			f.since = now.Add(-f.since.Sub(now))
		}
	}
	if in.Workflow != "" {
		wf, err := schemas.ParseWorkflow("workflow", in.Workflow)
		if err != nil {
			return f, err
		}
		f.in.Workflow = string(wf)
	}
	if in.Cursor != "" {
		var ok bool
		if f.cursor, ok = schemas.ParseID(in.Cursor); !ok {
			return f, badCursor()
		}
	}
	return f, nil
}

// passes tells whether a list shows a handoff.
func (f filter) passes(v *store.View, r *store.Record) (bool, error) {
	switch {
	case f.in.Status != "" && r.Status != f.in.Status,
		f.in.Workflow != "" && string(r.Workflow) != f.in.Workflow,
		f.in.Type != "" && r.Type != f.in.Type,
		!anyOf(r.Tags, f.in.Tags),
		!f.since.IsZero() && r.Created.Time().Before(f.since):
		return false, nil
	}
	if len(f.words) == 0 {
		return true, nil
	}
	return v.HasWords(r.ID, f.words)
}

// passesNotice is [filter.passes] for a notice: its type is its kind, and its words are those that are shown.
func (f filter) passesNotice(n schemas.Notice) bool {
	if f.in.Type != "" && n.Kind != f.in.Type || !f.since.IsZero() && n.At.Before(f.since) {
		return false
	}
	said := store.SplitWords(n.Title + " " + n.Text)
	return !slices.ContainsFunc(f.words, func(w string) bool { return !slices.Contains(said, w) })
}

// after yields the handoffs behind the cursor in the order of claiming, also when the one that the cursor names was
// claimed since.
func after(v *store.View, ids iter.Seq2[schemas.ID, error], cursor schemas.ID) (iter.Seq2[schemas.ID, error], error) {
	if cursor == 0 {
		return ids, nil
	}
	r, err := v.Record(cursor)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, badCursor()
	}
	last := claimOrder(r)
	return func(yield func(schemas.ID, error) bool) {
		passed := false
		for id, err := range ids {
			if err == nil && !passed {
				passed, err = claimedAfter(v, id, last)
			}
			if (err != nil || passed) && !yield(id, err) {
				return
			}
		}
	}, nil
}

// claimedAfter tells whether a handoff comes after a position in the order of claiming.
func claimedAfter(v *store.View, id schemas.ID, last []byte) (bool, error) {
	r, err := v.Record(id)
	if err != nil {
		return false, err
	}
	return bytes.Compare(claimOrder(r), last) > 0, nil
}

// claimOrder is the position of a handoff in the order of claiming, or the one that it had when it was pending.
func claimOrder(r *store.Record) []byte {
	const anywhere = "any"
	pending := store.Record{ID: r.ID, Created: r.Created, Priority: r.Priority, Status: schemas.Pending, Box: anywhere}
	for _, e := range store.Entries(&pending) {
		if e.Space == store.Ready {
			return e.Key
		}
	}
	return nil
}

func badCursor() error {
	return schemas.Invalidf("cursor", "is not one that a list gave").WithHint("Leave it out to begin again.")
}
