package operation

import (
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
)

// conditions has a function for each condition under which package life has a consequence for a change. The functions
// get the record before the change (Was) and after it (Now), and never read the store. So a condition has the same
// value each time that the store runs the transaction. Was is nil for a new handoff; NeedsApproval is the only
// condition that is evaluated for new handoffs. For HeldByAnother an empty holder counts as another agent, and
// [Op.NotifyAgent] then sends no notice.
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
