// Package listing makes the rows of a list: which handoffs and notices of a mailbox a caller asked for, in which order,
// and how many of them fit into one answer.
//
// [Parse] reads what the caller asked for, once. Inside a snapshot of the store [Filter.Handoffs] or [Filter.Notices]
// then makes one page. Nothing is written: package mailbox decides whose rows they are, and marks notices as read.
//
// A page ends for one of three reasons: it has as many rows as were asked for, its rows take [Room] bytes, or [Scanned]
// rows were looked at and most of them did not match. The cursor of a page is the id of the last row that was looked
// at, so the next page goes on behind it whatever was sent, claimed or ended in between. Nothing is remembered for a
// cursor: it is good for as long as the handoff that it names is in the store, and at any process.
package listing

import (
	"cmp"
	"slices"
	"time"

	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// How much one answer holds, and one search looks at.
const (
	Scanned = 1_000 // rows that are looked at where filters pass over most
	Room    = 7_000 // bytes of rows in one answer; the first row is always shown

	usual = 10 // rows of a page, unless asked otherwise
)

// Filter says which rows a list shows. [Parse] makes it; it may be used for several snapshots, and concurrently. The
// zero filter is of no use: it shows pages without rows.
type Filter struct {
	in     schemas.ListIn
	states []schemas.Status
	words  []string
	since  time.Time
	cursor schemas.ID
}

// Parse reads the filters of a list. A time is absolute, or a duration, which counts back from now. The error is
// invalid, with the name of the field, for a query in which there is no word (it would find everything), for a time or
// a workflow that cannot be read, and for a cursor that is no id.
func Parse(in schemas.ListIn, now time.Time) (f Filter, err error) {
	in.Tags, in.Limit = compose.Tags(in.Tags), cmp.Or(in.Limit, usual)
	f = Filter{in: in, states: in.Status.States(), words: store.SplitWords(in.Query)}
	if in.Query != "" && len(f.words) == 0 {
		return f, schemas.Invalidf("query", "has no word").WithHint("Search for words of letters and digits.")
	}
	if f.since, err = schemas.ParseTime("since", in.Since, now); err != nil {
		return f, err
	}
	if f.since.After(now) { // a weekday or a duration, meant backwards
		ahead := f.since.Sub(now)
		if f.since, err = schemas.ParseTime("since", "last "+in.Since, now); err != nil {
			f.since = now.Add(-ahead)
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

// passesAll tells whether a list shows every handoff of its box.
func (f Filter) passesAll() bool {
	return len(f.states) == 0 && f.in.Workflow == "" && f.in.Type == "" && len(f.in.Tags) == 0 && f.since.IsZero() &&
		len(f.words) == 0
}

// passes tells whether a list shows a handoff. The words that were searched for all have to be among those by which it
// is found. Words cost a read, so they are asked last. Those that a handoff has which passes the rest are taken off
// unseen.
func (f Filter) passes(v *store.View, r *store.Record, unseen *[]string) (passes bool, err error) {
	switch {
	case len(f.states) > 0 && !slices.Contains(f.states, r.Status),
		f.in.Status == schemas.Blocked && !r.Blocked(),
		f.in.Workflow != "" && string(r.Workflow) != f.in.Workflow,
		f.in.Type != "" && r.Type != f.in.Type,
		!compose.HasTag(r.Tags, f.in.Tags),
		!f.since.IsZero() && max(r.Created, r.Ended).Time().Before(f.since):
		return false, nil
	}
	if len(f.words) == 0 {
		return true, nil
	}
	*unseen = slices.DeleteFunc(*unseen, func(w string) (has bool) {
		if err == nil {
			has, err = v.HasWords(r.ID, []string{w})
		}
		return has
	})
	if err != nil || len(*unseen) > 0 { // which this one has not either
		return false, err
	}
	return v.HasWords(r.ID, f.words)
}

// passesNotice is [Filter.passes] for a notice: its type is its kind, and its words are those that are shown. States,
// tags and workflows say nothing of notices. A word has to be there as a whole, while those of a handoff are also found
// by their beginning.
func (f Filter) passesNotice(n schemas.Notice) bool {
	if f.in.Type != "" && n.Kind != f.in.Type || !f.since.IsZero() && n.At.Before(f.since) {
		return false
	}
	said := store.SplitWords(n.Title + " " + n.Text)
	return !slices.ContainsFunc(f.words, func(w string) bool { return !slices.Contains(said, w) })
}

// badCursor refuses a cursor that is no id, or that of no handoff.
func badCursor() error {
	return schemas.Invalidf("cursor", "is not one that a list gave").WithHint("Leave it out to begin again.")
}
