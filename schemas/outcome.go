package schemas

import (
	"encoding/json"
	"time"
)

// Completion says that the work is done, and shows it.
type Completion struct {
	HandoffID    ID        `json:"handoff_id,omitempty"`
	CompletionID string    `json:"completion_id,omitempty"`
	Timestamp    time.Time `json:"timestamp,omitzero"`
	Status       Outcome   `json:"status"` // success, or partial when a criterion is unmet
	Source       Source    `json:"source"`
	Result
	Criteria []Answered `json:"criteria,omitempty"` // asked and answered, one by one
	Late     bool       `json:"late,omitempty"`     // arrived after the claim was lost
	Origin   *Origin    `json:"origin,omitempty"`
}

// Result is what a holder hands in when the work is done: complete_handoff takes it, and the completion keeps it
// as it was given.
type Result struct {
	Version int `json:"version,omitempty" jsonschema:"minimum=1" jsonschema_extras:"x-hidden=true"`
	// What was done (≤4 KiB)
	Summary string `json:"summary" jsonschema:"minLength=1"`
	// ≤64 KiB
	Detail string            `json:"detail,omitempty"`
	Data   map[string]string `json:"data,omitempty"` // for programs: templates and routes read it

	// {branch, commit, pr_url, cost_usd…}
	Results map[string]string `json:"results,omitempty"`
	Outputs []string          `json:"outputs,omitempty" jsonschema_extras:"x-hidden=true"`

	// {type, description, files_created[], files_modified[], tests_created[]}
	Deliverables []Delivered `json:"deliverables,omitempty" jsonschema_extras:"x-free=true"`
	// {criteria[{criterion: number or text, met, evidence}], commands[{command, exit_code, output}], tests_passing,
	// tests_passed, type_check_passing, lint_passing}
	Verification *Verification `json:"verification,omitempty" jsonschema_extras:"x-free=true"`
	// As output_schema asks
	Output json.RawMessage `json:"output,omitempty" jsonschema_extras:"x-any=true"`
	Notes  []string        `json:"notes,omitempty"` // for whoever goes on
	// Pass on: {to, task… as send_handoff}; suggested_next is only shown
	Continuation *Continuation `json:"continuation,omitempty" jsonschema_extras:"x-free=true,x-optional=true"`
}

// Delivered is one thing that came back.
type Delivered struct {
	Type          string   `json:"type,omitempty"`
	Description   string   `json:"description,omitempty"`
	FilesCreated  []string `json:"files_created,omitempty"`
	FilesModified []string `json:"files_modified,omitempty"`
	TestsCreated  []string `json:"tests_created,omitempty"`
}

// Verification is what was checked and how it ended.
type Verification struct {
	TestsPassing     *bool       `json:"tests_passing,omitempty"`
	TypeCheckPassing *bool       `json:"type_check_passing,omitempty"`
	LintPassing      *bool       `json:"lint_passing,omitempty"`
	TestsPassed      int         `json:"tests_passed,omitempty"`
	TestsFailed      int         `json:"tests_failed,omitempty"`
	Criteria         []Criterion `json:"criteria,omitempty"`
	Commands         []Command   `json:"commands,omitempty"`
}

// Criterion answers one criterion of the handoff, named by its number or its exact text.
type Criterion struct {
	Criterion string `json:"criterion"`
	Met       bool   `json:"met"`
	Evidence  string `json:"evidence,omitempty"`
}

// Command is a command that was run to verify.
type Command struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code"`
	Output   string `json:"output,omitempty"`
}

// Answered is one criterion as it was asked, with the answer.
type Answered struct {
	Number    int    `json:"number"`
	Criterion string `json:"criterion"`
	Met       bool   `json:"met"`
	Evidence  string `json:"evidence,omitempty"`
}

// Continuation passes the work on in the same step, when To is set. SuggestedNext is only shown.
type Continuation struct {
	SendIn
	SuggestedNext  string         `json:"suggested_next,omitempty"`
	Reason         string         `json:"reason,omitempty"`
	ContextForNext map[string]any `json:"context_for_next,omitempty"`
}

// Failure says that the work is not done, why, and what is left of it.
type Failure struct {
	HandoffID ID        `json:"handoff_id,omitempty"`
	FailureID string    `json:"failure_id,omitempty"`
	Timestamp time.Time `json:"timestamp,omitzero"`
	Status    Outcome   `json:"status"` // failed or rejected
	Source    Source    `json:"source"`

	Failure         FailureDetail    `json:"failure"`
	RollbackRequest *RollbackRequest `json:"rollback_request,omitempty"`
	CheckpointID    string           `json:"checkpoint_id,omitempty"`
	Alternative     string           `json:"suggested_alternative,omitempty"`
	Then            Then             `json:"then,omitempty"`
	Late            bool             `json:"late,omitempty"`
	Origin          *Origin          `json:"origin,omitempty"`
}

// FailureDetail is what went wrong: fail_handoff takes it, and the failure keeps it as it was given. Type is open;
// known: blocker, missing_information, capability, test_failure, environment, timeout, policy.
type FailureDetail struct {
	// blocker, missing_information, capability, test_failure, environment…
	Type string `json:"type,omitempty" jsonschema:"maxLength=64"`
	// Why (≤4 KiB)
	Description string `json:"description" jsonschema:"minLength=1"`
	// {type, description, required_to_proceed}
	Blockers []Blocker `json:"blockers,omitempty" jsonschema_extras:"x-free=true"`
	// {completed[], incomplete[]}
	PartialProgress *PartialProgress `json:"partial_progress,omitempty" jsonschema_extras:"x-free=true"`
}

// Blocker is one thing in the way.
type Blocker struct {
	Type              string `json:"type,omitempty"`
	Description       string `json:"description"`
	RequiredToProceed bool   `json:"required_to_proceed,omitempty"`
}

// PartialProgress is what was done before the failure and what was not.
type PartialProgress struct {
	Completed  []string `json:"completed,omitempty"`
	Incomplete []string `json:"incomplete,omitempty"`
}

// RollbackRequest says who should go on after a failure and what the holder asks them.
type RollbackRequest struct {
	TargetAgent Agent    `json:"target_agent,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	Questions   []string `json:"questions,omitempty"`
}

// Checkpoint is where work stood, so that another can go on from there.
type Checkpoint struct {
	ID              string           `json:"checkpoint_id,omitempty"`
	State           map[string]any   `json:"state,omitempty"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty"`
	Note            string           `json:"note,omitempty"`
}

// Conditions are what a holder needs before it goes on: a conditional acknowledgement.
type Conditions struct {
	NeedsContext        []string `json:"needs_more_context,omitempty"`
	NeedsPermission     []string `json:"needs_permission,omitempty"` // only human grants these
	EstimatedCompletion string   `json:"estimated_completion,omitempty"`
}
