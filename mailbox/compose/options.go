package compose

import (
	"reflect"
	"slices"

	"handoff/schemas"
)

// None, as the first entry of a list of dependencies in an amendment, makes that list replace the old list. Without it
// an amendment extends the list.
const None = "none"

// Empties reports whether a list of dependencies in an amendment replaces the old list: it is empty but not nil, or it
// begins with [None].
func Empties(list []string) bool { return list != nil && (len(list) == 0 || list[0] == None) }

// mergeOptions applies the options of a send to a handoff that was sent before, and calls note with the name of each
// option and whether it changed. It does not set the time of a delay, because that needs a clock. The option force is
// for one call and is not kept.
func mergeOptions(h *schemas.Handoff, opt *schemas.SendOptions, note func(string, bool)) {
	if opt == nil {
		return
	}
	m := &h.Metadata
	note("options.reason", merge(&h.Target.Reason, opt.Reason))
	note("options.phase", merge(&h.Source.Phase, opt.Phase))
	note("options.kind", merge(&h.Kind, opt.Kind))
	note("options.requirements", merge(&h.Requirements, opt.Requirements))
	note("options.task_id", merge(&h.TaskID, opt.TaskID))
	note("options.after", extendAfter(&m.After, opt.After))
	note("options.after_accepted", extendAfter(&m.AfterAccepted, opt.AfterAccepted))
	mergeTerms(&m.Terms, opt.Terms, note)
	note("options.max_attempts", merge(&m.MaxAttempts, opt.MaxAttempts))
	note("options.not_before", opt.NotBefore != "")
	note("options.strategy", merge(&m.Strategy, opt.Strategy))
	note("options.recall", merge(&m.Recall, opt.Recall))
	note("options.limits", merge(&m.Limits, opt.Limits))
}

// mergeTerms merges each term by itself, see [merge], and calls note with the name of each term and whether it changed.
func mergeTerms(have *schemas.Terms, more schemas.Terms, note func(string, bool)) {
	now, said := reflect.ValueOf(have).Elem(), reflect.ValueOf(more)
	for name, term := range schemas.Fields(said.Type()) {
		note("options."+name, mergeValue(now.FieldByIndex(term.Index), said.FieldByIndex(term.Index)))
	}
}

// extendAfter adds the ids of more to a copy of the list have, each id once, and reports whether the list changed. If
// [Empties] is true for more, the ids of more replace the list.
func extendAfter(have *[]string, more []string) bool {
	before := *have
	if Empties(more) {
		*have, more = nil, more[min(1, len(more)):]
	}
	merge(have, more)
	return !slices.Equal(*have, before)
}
