package schemas

import "slices"

// Status is the state of a handoff in its life. Package mailbox/life lists the actions allowed in each state, and the
// state that follows.
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

// Statuses lists all states in the order of a life: the open ones, and from Completed on the ended ones. Put a new
// one in its place, because [Status.Ended] compares positions.
var Statuses = []Status{
	Pending, Accepted, Working, Waiting, Completed, Rejected, Failed, TimedOut, Returned, Cancelled,
}

// Ended tells whether the state is final. Failure creates new work and never reopens a record.
func (s Status) Ended() bool { return slices.Index(Statuses, s) >= slices.Index(Statuses, Completed) }

// Held tells whether an agent has a claim on it.
func (s Status) Held() bool { return s == Accepted || s == Working || s == Waiting }

// StatusFilter is a filter of lists: one state, or a word for several states.
type StatusFilter string

// The words for several states. Blocked handoffs are pending and wait for others or for approval.
const (
	Open       StatusFilter = "open"        // not ended
	InProgress StatusFilter = "in_progress" // accepted or working
	Blocked    StatusFilter = "blocked"
)

// StatusFilters lists the words for several states, and then all states.
var StatusFilters = append([]StatusFilter{Open, InProgress, Blocked},
	Map(Statuses, func(s Status) StatusFilter { return StatusFilter(s) })...)

// States returns the states of the filter, in the order of a life. It returns nil for the empty word, which means
// all.
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

// Priority orders a mailbox: each step is worth a bonus of waiting time, so no handoff starves. Empty means normal.
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

// Then is the continuation after a failure.
type Then string

// The continuations of a failure.
const (
	ThenRollback Then = "rollback"
	ThenRetry    Then = "retry"
	ThenEscalate Then = "escalate"
	ThenStop     Then = "stop"
)

// Thens lists them, the default first.
var Thens = []Then{ThenRollback, ThenRetry, ThenEscalate, ThenStop}

// The known handoff types. Any other type is a work type, which is matched against the types that agents accept.
const (
	TypeHandoff      = "task_handoff"
	TypeTestFailure  = "test_failure_report"
	TypeFixComplete  = "fix_complete"
	TypeVerification = "verification_request"
	TypeMessage      = "message"
	TypeReview       = "review" // also of reviews that the mailbox sends
)
