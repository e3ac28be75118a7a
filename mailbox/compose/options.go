package compose

import (
	"reflect"
	"slices"

	"handoff/schemas"
)

// None, as the first entry of a list of dependencies in an amendment, makes the new list replace the old list. Without
// None the new list extends the old list.
const None = "none"

// ReplacesList reports whether a list of dependencies in an amendment replaces the old list. This is so for an empty
// list that is not nil, and for a list that begins with [None].
func ReplacesList(list []string) bool { return list != nil && (len(list) == 0 || list[0] == None) }

// mergeOptions applies options of an amendment to a handoff, and calls note with the name of each option and whether
// the option changed. It does not set the time of a delay: the caller does, because this needs a clock.
func mergeOptions(h *schemas.Handoff, opt *schemas.SendOptions, note func(string, bool)) {
	if opt == nil {
		return
	}
	m := &h.Metadata
	note("options.reason", mergeInto(&h.Target.Reason, opt.Reason))
	note("options.phase", mergeInto(&h.Source.Phase, opt.Phase))
	note("options.kind", mergeInto(&h.Kind, opt.Kind))
	note("options.requirements", mergeInto(&h.Requirements, opt.Requirements))
	note("options.task_id", mergeInto(&h.TaskID, opt.TaskID))
	note("options.after", extendDependencies(&m.After, opt.After))
	note("options.after_accepted", extendDependencies(&m.AfterAccepted, opt.AfterAccepted))
	mergeTerms(&m.Terms, opt.Terms, note)
	note("options.max_attempts", mergeInto(&m.MaxAttempts, opt.MaxAttempts))
	note("options.not_before", opt.NotBefore != "")
	note("options.strategy", mergeInto(&m.Strategy, opt.Strategy))
	note("options.recall", mergeInto(&m.Recall, opt.Recall))
	note("options.limits", mergeInto(&m.Limits, opt.Limits))
}

// mergeTerms merges each term by itself, see [mergeInto], and calls note with the name of each term and whether the
// term changed.
func mergeTerms(have *schemas.Terms, more schemas.Terms, note func(string, bool)) {
	now, said := reflect.ValueOf(have).Elem(), reflect.ValueOf(more)
	for name, term := range schemas.Fields(said.Type()) {
		note("options."+name, mergeValue(now.FieldByIndex(term.Index), said.FieldByIndex(term.Index)))
	}
}

// extendDependencies adds the ids of more to a copy of the list have, each id once, and reports whether the list
// changed. If [ReplacesList] is true for more, the ids of more replace the list.
func extendDependencies(have *[]string, more []string) bool {
	before := *have
	if ReplacesList(more) {
		*have, more = nil, more[min(1, len(more)):]
	}
	mergeInto(have, more)
	return !slices.Equal(*have, before)
}
