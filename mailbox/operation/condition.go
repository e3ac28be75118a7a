package operation

import (
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
)

// conditions has a function for each condition under which package life has a consequence for a change. The functions
// get the record before the change (Was) and after the change (Now), and never read the store. Was is nil for a new
// handoff, and only NeedsApproval is evaluated for new handoffs. For HeldByAnother an empty holder counts as another
// agent, and [Op.NotifyAgent] then sends no notice.
var conditions = map[life.Condition]func(*RecordChange) bool{
	life.Always:           func(*RecordChange) bool { return true },
	life.NeedsApproval:    func(h *RecordChange) bool { return h.Now.NeedsApproval && (h.Was == nil || !h.Was.NeedsApproval) },
	life.NeedsPermission:  func(h *RecordChange) bool { return h.Now.Permission },
	life.HeldByAnother:    func(h *RecordChange) bool { return h.Was.Holder != h.Was.From },
	life.GetsNewRecipient: func(h *RecordChange) bool { return h.Was.To != h.Now.To },
	life.IsRetry:          func(h *RecordChange) bool { return h.Now.RetryOf != 0 },
	life.HasParent:        func(h *RecordChange) bool { return h.Now.Parent != 0 },
	life.Reviewed:         func(h *RecordChange) bool { return h.Now.Reviewer != "" },
	life.IsReview:         func(h *RecordChange) bool { return h.Now.ReviewOf != 0 },
	life.HasContinuation:  func(h *RecordChange) bool { return h.Forward != nil },
	life.Routed:           (*RecordChange).IsContinuedByRule,
	life.Unrouted:         func(h *RecordChange) bool { return !h.IsContinuedByRule() },
	life.NamesAlternative: func(h *RecordChange) bool { return h.To != "" && !h.IsContinuedByRule() },
	life.CheckFails:       func(h *RecordChange) bool { return h.Text != "" && h.Now.Outcome == schemas.Partial },
	life.ChecksPass: func(h *RecordChange) bool {
		return h.Was.Outcome != schemas.Success && h.Now.Outcome == schemas.Success
	},
	life.NotDoneWell:      func(h *RecordChange) bool { return reading.KeepsDependentsBlocked(h.Now) },
	life.NowDoneWell:      func(h *RecordChange) bool { return !reading.IsDoneWell(h.Was) && reading.IsDoneWell(h.Now) },
	life.NoLongerDoneWell: func(h *RecordChange) bool { return reading.IsDoneWell(h.Was) && !reading.IsDoneWell(h.Now) },
	life.ThenRollback:     func(h *RecordChange) bool { return h.Then == schemas.ThenRollback && !h.IsContinuedByRule() },
	life.ThenRetry:        func(h *RecordChange) bool { return h.Then == schemas.ThenRetry },
	life.ThenEscalate:     func(h *RecordChange) bool { return h.Then == schemas.ThenEscalate && !h.IsContinuedByRule() },
}
