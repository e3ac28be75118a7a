// Package listing makes lists of handoffs and notices for callers. [ParseFilter] parses the caller's filters.
// [Filter.HandoffPage] and [Filter.NoticePage] then return one page from a snapshot of the store. The package writes
// nothing; package mailbox marks the listed notices as read.
//
// A page ends at the requested number of rows, at [MaxBytes] bytes, or after [MaxScanned] examined handoffs. If more
// rows may follow, the page has a cursor for the next call. The cursor is the id of the last examined handoff or
// notice, so it stays valid if handoffs are sent or claimed in between, and in any process.
package listing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// The limits of one answer and of one search.
const (
	MaxScanned = 1_000 // rows that one search examines
	MaxBytes   = 7_000 // bytes of rows in one answer; the first row is always included

	defaultLimit = 10 // default number of rows of a page
)

// Filter selects the rows of a list. [ParseFilter] makes it. It may be used concurrently and for several snapshots. The
// zero Filter returns empty pages.
type Filter struct {
	in     schemas.ListIn
	states []schemas.Status
	words  []string
	said   []string // the query as it was written, word by word, in lower case
	since  time.Time
	cursor schemas.ID
}

// ParseFilter parses the filters of a list. A time in a filter is written for [schemas.ParsePastTime]. The error is
// invalid, with the name of the field, for a time, workflow or cursor that cannot be parsed. It is also invalid for a
// search text without a word.
func ParseFilter(in schemas.ListIn, now time.Time) (f Filter, err error) {
	in.Tags, in.Limit = compose.SplitTags(in.Tags), cmp.Or(in.Limit, defaultLimit)
	f = Filter{in: in, states: in.Status.States(), words: store.SplitWords(in.Query), said: strings.Fields(strings.ToLower(in.Query))}
	if in.Query != "" && len(f.words) == 0 {
		return f, schemas.Invalidf("query", "has no word").WithHint("Search for words of letters and digits.")
	}
	if f.since, err = schemas.ParsePastTime("since", in.Since, now); err != nil {
		return f, err
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
			return f, cursorError()
		}
	}
	return f, nil
}

// showsAll reports whether a list has every handoff of its box.
func (f Filter) showsAll() bool {
	return len(f.states) == 0 && f.in.Workflow == "" && f.in.Type == "" && len(f.in.Tags) == 0 && f.since.IsZero() &&
		len(f.words) == 0
}

// matches reports whether a handoff is in the list. All search words must occur in the handoff. It compares the words
// last, because that takes a read of the store. The argument unseen holds the search words that no handoff had so far.
// matches removes the words of this handoff from it.
func (f Filter) matches(v *store.View, r *store.Record, unseen *[]string) (passes bool, err error) {
	switch {
	case len(f.states) > 0 && !slices.Contains(f.states, r.Status),
		f.in.Status == schemas.Blocked && !r.IsBlocked(),
		f.in.Workflow != "" && string(r.Workflow) != f.in.Workflow,
		f.in.Type != "" && r.Type != f.in.Type,
		!compose.HasAnyTag(r.Tags, f.in.Tags),
		!f.since.IsZero() && max(r.Created, r.Ended).Time().Before(f.since):
		return false, nil
	}
	if len(f.words) == 0 {
		return true, nil
	}
	named := f.namedWords(r)
	isNamed := func(w string) bool { return slices.Contains(named, w) }
	*unseen = slices.DeleteFunc(*unseen, func(w string) (has bool) {
		if has = isNamed(w); err == nil && !has {
			has, err = v.HasWords(r.ID, []string{w})
		}
		return has
	})
	if err != nil || len(*unseen) > 0 { // this handoff does not have them either
		return false, err
	}
	return v.HasWords(r.ID, slices.DeleteFunc(slices.Clone(f.words), isNamed))
}

// namedWords returns the words of a query that name a handoff by its id, its workflow or one of its agents: "handoff
// ho_1", "workflow wf_login", "target qa pending". A name counts as a whole, and its label and the state only beside it.
func (f Filter) namedWords(r *store.Record) (words []string) {
	for label, names := range map[string][]string{
		"handoff": {r.ID.String(), r.OriginID}, "workflow": {string(r.Workflow)}, "target": {string(r.To)}, "source": {string(r.From)},
	} {
		for _, name := range names {
			if name = strings.ToLower(name); slices.Contains(f.said, name) {
				words = append(append(words, store.SplitWords(name)...), label, "handoff", string(r.Status))
			}
		}
	}
	return words
}

// matchesNotice reports whether a notice is in the list. It compares the type with the kind of the notice, and each
// search word with the whole words of title and text. It ignores filters for states, tags and workflows, because a
// notice has none of these.
func (f Filter) matchesNotice(n schemas.Notice) bool {
	if f.in.Type != "" && n.Kind != f.in.Type || !f.since.IsZero() && n.At.Before(f.since) {
		return false
	}
	words := store.SplitWords(n.Title + " " + n.Text)
	return !slices.ContainsFunc(f.words, func(w string) bool { return !slices.Contains(words, w) })
}

// cursorError returns the error for a cursor that is not the id of a handoff.
func cursorError() error {
	return schemas.Invalidf("cursor", "is not one that a list gave").WithHint("Leave it out to begin again.")
}
