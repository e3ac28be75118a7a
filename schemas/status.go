package schemas

import "slices"

// Status is the state of a handoff. Package mailbox/life lists the actions that are allowed in each state, and the
// state that follows each action.
type Status string

// The states. The first four are open, the others ended.
const (
	Pending   Status = "pending"
	Accepted  Status = "accepted"
	Working   Status = "working"
	Waiting   Status = "waiting"
	Completed Status = "completed"
	Rejected  Status = "rejected"
	Failed    Status = "failed"
	TimedOut  Status = "timed_out"
	Returned  Status = "returned"
	Cancelled Status = "cancelled"
)

// Statuses lists all states in the order in which a handoff can reach them: first the open states, and from Completed
// on the final ones. A new state must be added at its right place, because [Status.HasEnded] compares positions in this
// list.
var Statuses = []Status{
	Pending, Accepted, Working, Waiting, Completed, Rejected, Failed, TimedOut, Returned, Cancelled,
}

// HasEnded reports whether the state is final. A handoff in a final state never changes to an open state. If its work
// continues, a new handoff is made.
func (s Status) HasEnded() bool {
	return slices.Index(Statuses, s) >= slices.Index(Statuses, Completed)
}

// IsHeld reports whether an agent has a claim on the handoff.
func (s Status) IsHeld() bool { return s == Accepted || s == Working || s == Waiting }

// StatusFilter selects the states of the handoffs in a list: it is one state, or a value that stands for several states
// (such as "open").
type StatusFilter string

// The values that stand for several states. A blocked handoff is a pending one that waits for other handoffs or for
// approval.
const (
	Open       StatusFilter = "open"        // not ended
	InProgress StatusFilter = "in_progress" // accepted or working
	Blocked    StatusFilter = "blocked"
)

// StatusFilters lists the values for several states, and then all states.
var StatusFilters = append([]StatusFilter{Open, InProgress, Blocked},
	Map(Statuses, func(s Status) StatusFilter { return StatusFilter(s) })...)

// States returns the states that the filter selects, in the order of [Statuses]. It returns nil for the empty filter,
// which selects all.
func (w StatusFilter) States() []Status {
	switch w {
	case "":
		return nil
	case Open:
		return Statuses[:slices.Index(Statuses, Completed)]
	case InProgress:
		return []Status{Accepted, Working}
	case Blocked:
		return []Status{Pending}
	}
	return []Status{Status(w)}
}

// Priority orders the handoffs of a mailbox. Each step of priority counts as much as a fixed time of waiting, so a
// handoff of low priority is claimed at some time, too. Empty means normal.
type Priority string

// The priorities.
const (
	Low      Priority = "low"
	Normal   Priority = "normal"
	High     Priority = "high"
	Critical Priority = "critical"
)

// Priorities lists them from low to critical.
var Priorities = []Priority{Low, Normal, High, Critical}

// Outcome is the result of an ended handoff, for its sender.
type Outcome string

// The outcomes of a completion, and of a failure.
const (
	Success         Outcome = "success"
	Partial         Outcome = "partial"
	OutcomeFailed   Outcome = "failed"
	OutcomeRejected Outcome = "rejected"
)

// Outcomes lists them from the best to the worst.
var Outcomes = []Outcome{Success, Partial, OutcomeFailed, OutcomeRejected}

// FailureContinuation is the continuation after a failure.
type FailureContinuation string

// The continuations of a failure.
const (
	ThenRollback FailureContinuation = "rollback"
	ThenRetry    FailureContinuation = "retry"
	ThenEscalate FailureContinuation = "escalate"
	ThenStop     FailureContinuation = "stop"
)

// FailureContinuations lists them, the default first.
var FailureContinuations = []FailureContinuation{ThenRollback, ThenRetry, ThenEscalate, ThenStop}

// The types of a handoff that have a special meaning. Any other type is a kind of work, which the mailbox compares with
// the kinds of work that agents accept.
const (
	TypeHandoff      = "task_handoff"
	TypeTestFailure  = "test_failure_report"
	TypeFixComplete  = "fix_complete"
	TypeVerification = "verification_request"
	TypeMessage      = "message"
	TypeReview       = "review" // also of reviews that the mailbox sends
)
