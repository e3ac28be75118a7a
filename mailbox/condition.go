package mailbox

import (
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
)

// conditions tell of what happened whether a condition of the table holds. Each condition of package life has its row
// here. They see the record before and after, and never read the store, so a condition has the same answer however
// often the transaction runs. Was is nil for a new handoff; only NeedsApproval is asked of one. For HeldByAnother an
// empty holder counts as another, and [op.notify] then tells nobody.
var conditions = map[life.Condition]func(*happening) bool{
	life.Always:          func(*happening) bool { return true },
	life.NeedsApproval:   func(h *happening) bool { return h.now.NeedsApproval && (h.was == nil || !h.was.NeedsApproval) },
	life.NeedsPermission: func(h *happening) bool { return h.now.Permission },
	life.HeldByAnother:   func(h *happening) bool { return h.was.Holder != h.was.From },
	life.PassedOn:        func(h *happening) bool { return h.was.To != h.now.To },
	life.IsRetry:         func(h *happening) bool { return h.now.RetryOf != 0 },
	life.HasParent:       func(h *happening) bool { return h.now.Parent != 0 },
	life.Reviewed:        func(h *happening) bool { return h.now.Reviewer != "" },
	life.IsReview:        func(h *happening) bool { return h.now.Reviews != 0 },
	life.Continues:       func(h *happening) bool { return h.forward != nil },
	life.Routed:          (*happening).routed,
	life.Unrouted:        func(h *happening) bool { return !h.routed() },
	life.Redirects:       func(h *happening) bool { return h.to != "" && !h.routed() },
	life.Disproved:       func(h *happening) bool { return h.text != "" && h.now.Outcome == schemas.Partial },
	life.Proved:          func(h *happening) bool { return h.was.Outcome != schemas.Success && h.now.Outcome == schemas.Success },
	life.StaysShut:       func(h *happening) bool { return reading.Shut(h.now) },
	life.Opens:           func(h *happening) bool { return !reading.DoneWell(h.was) && reading.DoneWell(h.now) },
	life.Shuts:           func(h *happening) bool { return reading.DoneWell(h.was) && !reading.DoneWell(h.now) },
	life.ThenRollback:    func(h *happening) bool { return h.then == schemas.ThenRollback && !h.routed() },
	life.ThenRetry:       func(h *happening) bool { return h.then == schemas.ThenRetry },
	life.ThenEscalate:    func(h *happening) bool { return h.then == schemas.ThenEscalate },
}
