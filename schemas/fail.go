package schemas

import "time"

// FailIn holds the arguments of fail_handoff: the claim that ends, the reason, and how the work goes on. The holder
// makes this call. The exception is the outcome "rejected", which needs no claim: with it a recipient declines a
// handoff that waits for it. The mailbox keeps a [Failure], and keeps the partial progress as a checkpoint. A repeated
// call with the same arguments gets the first answer again.
type FailIn struct {
	HandoffID string  `json:"handoff_id" jsonschema:"minLength=1"`                      // as ho_12, or 12
	Token     string  `json:"claim_token,omitempty"`                                    // default: of the one claim this connection holds
	Outcome   Outcome `json:"outcome,omitempty" jsonschema:"enum=failed,enum=rejected"` // rejected: not for you
	FailureDetail
	Questions []string            `json:"questions,omitempty"` // to the next agent
	Then      FailureContinuation `json:"then,omitempty"`      // default rollback
	// Default: on_failure, else the sender
	RollbackTo  string      `json:"rollback_to,omitempty"`
	Alternative string      `json:"suggested_alternative,omitempty"` // an agent that could do it; rejected work goes there
	Checkpoint  *Checkpoint `json:"checkpoint,omitempty"`

	Reason string  `json:"reason,omitempty" jsonschema_extras:"x-hidden=true"` // of the rollback
	Origin *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// FailureDetail describes the failure. It comes as arguments of fail_handoff, and the [Failure] keeps it unchanged.
// Type may be any word. Known types are blocker, missing_information, capability, test_failure, environment, timeout
// and policy. The description may be as long as a task, see [Limits].
type FailureDetail struct {
	// blocker, missing_information, capability, test_failure, environment…
	Type string `json:"type,omitempty" jsonschema:"maxLength=64"`
	// Why (≤4 KiB)
	Description     string           `json:"description" jsonschema:"minLength=1"`
	Blockers        []Blocker        `json:"blockers,omitempty"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty"`

	Results           map[string]any `json:"results,omitempty"`            // of the tests, to the next agent
	Detail            string         `json:"detail,omitempty"`             // logs and output, to the next agent
	ReproductionSteps []string       `json:"reproduction_steps,omitempty"` // to the next agent
}

// FailOut is the result of fail_handoff: the state of the handoff, and the new handoff that continues the work, with
// its address.
type FailOut struct {
	HandoffID       ID                  `json:"handoff_id"`
	Status          Status              `json:"status"`
	FailureID       string              `json:"failure_id,omitempty"` // none if the agent declined the work
	Then            FailureContinuation `json:"then,omitempty"`
	RollbackHandoff ID                  `json:"rollback_handoff,omitempty"` // the handoff that goes on, also for retry and escalate
	To              Address             `json:"to,omitempty"`
	Warnings        []string            `json:"warnings,omitempty"`
}

// Failure is the record that the work was not done: the reason, and what was done so far. The mailbox makes it from the
// holder's report, in the form of the failure notice of the handoff protocol agent. It never changes again. If a
// failure arrives after the holder lost its claim, the mailbox keeps the failure with the handoff, but the failure does
// not end the handoff.
type Failure struct {
	HandoffID ID        `json:"handoff_id,omitempty"`
	FailureID string    `json:"failure_id,omitempty"`
	Timestamp time.Time `json:"timestamp,omitzero"`
	Status    Outcome   `json:"status"` // failed or rejected
	Source    Source    `json:"source"`

	Failure         FailureDetail       `json:"failure"`
	TypeComputed    bool                `json:"type_computed,omitempty"` // the holder gave no type
	RollbackRequest *RollbackRequest    `json:"rollback_request,omitempty"`
	CheckpointID    string              `json:"checkpoint_id,omitempty"`
	Alternative     string              `json:"suggested_alternative,omitempty"`
	Refused         string              `json:"alternative_refused,omitempty"` // why the work did not go there
	Then            FailureContinuation `json:"then,omitempty"`
	Late            bool                `json:"late,omitempty"`
	Parts           string              `json:"open_parts,omitempty"` // as in a completion
	Origin          *Origin             `json:"origin,omitempty"`
}

// AlternativeText returns the agent that the holder named instead, and why the work did not go there.
func (f *Failure) AlternativeText() string {
	if f.Refused == "" {
		return f.Alternative
	}
	return f.Alternative + " (" + f.Refused + ")"
}

// Blocker is one obstacle to the work.
type Blocker struct {
	Type              string `json:"type,omitempty"`
	Description       string `json:"description"`
	RequiredToProceed bool   `json:"required_to_proceed,omitempty"`
}

// PartialProgress lists the parts of the work that were finished and the parts that were still open when the work
// failed. The next agent finds these lists in the context of its handoff.
type PartialProgress struct {
	Completed  []string `json:"completed,omitempty"`
	Incomplete []string `json:"incomplete,omitempty"`
}

// RollbackRequest names the agent that should continue the work after a failure, and holds the questions of the holder
// to that agent.
type RollbackRequest struct {
	TargetAgent Agent    `json:"target_agent,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	Questions   []string `json:"questions,omitempty"`
}

// Checkpoint is a saved state of the work, from which another agent can continue. A holder adds a checkpoint to a
// progress report or to a failure, and the mailbox gives it to the next holder. State may hold any JSON. The whole
// checkpoint may be as large as a handoff, see [Limits].
type Checkpoint struct {
	ID              string           `json:"checkpoint_id,omitempty" jsonschema_extras:"x-hidden=true"`
	State           map[string]any   `json:"state,omitempty"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty"`
	Note            string           `json:"note,omitempty" jsonschema_extras:"x-gist=true"`
}
