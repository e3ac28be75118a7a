package mailbox

import (
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
