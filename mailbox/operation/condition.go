package operation

import (
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
)

// conditions evaluates each condition of package life on a happening. Each condition has a row here. The functions see
// the record before and after, and never read the store, so the result is the same each time that the transaction runs.
// Was is nil for a new handoff; only NeedsApproval is evaluated on one. For HeldByAnother an empty holder counts as
// another agent, and [Op.NotifyAgent] then notifies nobody.
var conditions = map[life.Condition]func(*Happening) bool{
	life.Always:           func(*Happening) bool { return true },
	life.NeedsApproval:    func(h *Happening) bool { return h.Now.NeedsApproval && (h.Was == nil || !h.Was.NeedsApproval) },
	life.NeedsPermission:  func(h *Happening) bool { return h.Now.Permission },
	life.HeldByAnother:    func(h *Happening) bool { return h.Was.Holder != h.Was.From },
	life.Readdressed:      func(h *Happening) bool { return h.Was.To != h.Now.To },
	life.IsRetry:          func(h *Happening) bool { return h.Now.RetryOf != 0 },
	life.HasParent:        func(h *Happening) bool { return h.Now.Parent != 0 },
	life.Reviewed:         func(h *Happening) bool { return h.Now.Reviewer != "" },
	life.IsReview:         func(h *Happening) bool { return h.Now.ReviewOf != 0 },
	life.PassesOn:         func(h *Happening) bool { return h.Forward != nil },
	life.Routed:           (*Happening).Routed,
	life.Unrouted:         func(h *Happening) bool { return !h.Routed() },
	life.Redirects:        func(h *Happening) bool { return h.To != "" && !h.Routed() },
	life.CheckFails:       func(h *Happening) bool { return h.Text != "" && h.Now.Outcome == schemas.Partial },
	life.ChecksPass:       func(h *Happening) bool { return h.Was.Outcome != schemas.Success && h.Now.Outcome == schemas.Success },
	life.NotDoneWell:      func(h *Happening) bool { return reading.StaysBlocked(h.Now) },
	life.NowDoneWell:      func(h *Happening) bool { return !reading.DoneWell(h.Was) && reading.DoneWell(h.Now) },
	life.NoLongerDoneWell: func(h *Happening) bool { return reading.DoneWell(h.Was) && !reading.DoneWell(h.Now) },
	life.ThenRollback:     func(h *Happening) bool { return h.Then == schemas.ThenRollback && !h.Routed() },
	life.ThenRetry:        func(h *Happening) bool { return h.Then == schemas.ThenRetry },
	life.ThenEscalate:     func(h *Happening) bool { return h.Then == schemas.ThenEscalate },
}
