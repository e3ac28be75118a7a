package schemas

import "encoding/json"

// Expectations is what must come back. Each success criterion and each acceptance criterion of a deliverable gets a
// number, from 1, and the completion has to answer all of them; with Strict, every one has to be met. OutputSchema is
// a JSON Schema that the output of the completion has to meet. Checks name what the repository defines in
// .handoff/checks.yaml: each is a criterion, behind those, and its answer is observed where a check could run.
//
// Review names who judges the result before it counts: [ReviewBySender], or an address. Whoever did the work never
// reviews it. MaxRounds is how often the work may be done, 3 unless given; past that a person decides.
//
// Timeout and EstimatedDuration are durations, see [ParseDuration]. The timeout counts from the send and becomes the
// deadline, unless an earlier one is given.
type Expectations struct {
	Deliverables    []Deliverable `json:"deliverables,omitempty" jsonschema:"maxItems=50" jsonschema_extras:"x-free=true"`
	SuccessCriteria []string      `json:"success_criteria,omitempty" jsonschema:"maxItems=100"`
	Constraints     []string      `json:"constraints,omitempty" jsonschema:"maxItems=100"`
	// JSON Schema of output
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	IfStuck      []string        `json:"if_stuck,omitempty"`
	// As '2h'
	Timeout           string `json:"timeout,omitempty"`
	EstimatedDuration string `json:"estimated_duration,omitempty"`
	// Unmet criteria are refused
	Strict bool `json:"strict,omitempty"`
	// Names from .handoff/checks.yaml: run, not believed
	Checks []string `json:"checks,omitempty" jsonschema:"maxItems=20"`
	// Of a check at which nobody could look: observed (default) leaves the result partial, claimed believes the holder
	Evidence string `json:"evidence,omitempty" jsonschema:"enum=observed,enum=claimed" jsonschema_extras:"x-hidden=true"`
	// Who judges the result: sender, agent, role:NAME…
	Review    string `json:"review,omitempty" jsonschema:"maxLength=128"`
	MaxRounds int    `json:"max_rounds,omitempty" jsonschema:"minimum=1,maximum=25"`
	// Whole id of the commit with which checks compare; default: where the sender stood
	Base string `json:"base,omitempty" jsonschema_extras:"x-hidden=true"`
}

// Rounds is how often reviewed work may be done before a person decides.
func (e *Expectations) Rounds() int {
	if e == nil || e.MaxRounds == 0 {
		return 3
	}
	return e.MaxRounds
}

// EvidenceClaimed is the evidence of a check that the sender believes without a look.
const EvidenceClaimed = "claimed"

// ReviewBySender is the reviewer of work whose sender judges it.
const ReviewBySender = "sender"

// Deliverable is one thing that must come back.
type Deliverable struct {
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty" jsonschema_extras:"x-gist=true"`
	Files       []string `json:"files,omitempty"` // paths or globs
	Criteria    []string `json:"acceptance_criteria,omitempty"`
}

// Rollback says where work goes when it fails; without it, to the sender.
type Rollback struct {
	OnFailure      Agent    `json:"on_failure,omitempty" jsonschema_extras:"x-form=agent"`
	FailureContext []string `json:"failure_context,omitempty"` // what the failure should tell
	CheckpointID   string   `json:"checkpoint_id,omitempty"`
}
