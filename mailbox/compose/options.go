package compose

import (
	"slices"

	"handoff/schemas"
)

// None is the first entry of a list of handoffs to wait for that empties the list before: amendments extend lists.
const None = "none"

// Empties tells whether a list of handoffs to wait for empties the list before: it is there and empty, or begins with
// [None].
func Empties(list []string) bool { return list != nil && (len(list) == 0 || list[0] == None) }

// mergeOptions applies the options of a send to a handoff that was sent before, and names those that changed it. A time
// before which nobody may begin is only named: it needs a clock. Force is for one call and is not kept.
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
	note("options.needs_approval", merge(&m.NeedsApproval, opt.NeedsApproval))
	note("options.no_takers", merge(&m.NoTakers, opt.NoTakers))
	note("options.max_attempts", merge(&m.MaxAttempts, opt.MaxAttempts))
	note("options.not_before", opt.NotBefore != "")
	note("options.strategy", merge(&m.Strategy, opt.Strategy))
	note("options.recall", merge(&m.Recall, opt.Recall))
	note("options.limits", merge(&m.Limits, opt.Limits))
}

// extendAfter adds ids to a copy of a list, each once, and tells whether that changed it. Where more [Empties], it has
// them all.
func extendAfter(have *[]string, more []string) bool {
	before := *have
	if Empties(more) {
		*have, more = nil, more[min(1, len(more)):]
	}
	merge(have, more)
	return !slices.Equal(*have, before)
}
