package schemas

import (
	"encoding/json"
	"slices"
)

// Expectations holds the demands on the result. Each success criterion and each acceptance criterion of a deliverable
// gets a number, from 1, and the completion must answer all of them. With Strict, the completion must also meet all of
// them. OutputSchema is a JSON Schema for the output of the completion. Checks are names from the repository's
// .handoff/checks.yaml. Each check is one more criterion, numbered after the others. If the check could run, its answer
// is marked as observed.
//
// Review names the agent or person that judges the result before the work counts as done: [ReviewBySender], or an
// address. The agent that did the work never reviews it. MaxRounds is the largest number of times that the work is done
// (by default 3). If the last result is returned too, a person decides.
//
// Timeout and EstimatedDuration are durations, see [ParseDuration]. The timeout counts from the send. The mailbox makes
// a deadline of it, unless the sender gives an earlier deadline.
type Expectations struct {
	Deliverables    []Deliverable `json:"deliverables,omitempty" jsonschema:"maxItems=50"`
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
	// Names in .handoff/checks.yaml, run
	Checks []string `json:"checks,omitempty" jsonschema:"maxItems=20"`
	// Of a check without an observation: observed (default) leaves the result partial, claimed believes the holder
	Evidence string `json:"evidence,omitempty" jsonschema:"enum=observed,enum=claimed" jsonschema_extras:"x-hidden=true"`
	// Judge: sender, agent, role:NAME…
	Review    string `json:"review,omitempty" jsonschema:"maxLength=128"`
	MaxRounds int    `json:"max_rounds,omitempty" jsonschema:"minimum=1,maximum=25"`
	// Whole id of the commit with which checks compare; default: where the sender stood
	Base string `json:"base,omitempty" jsonschema_extras:"x-hidden=true"`
}

// DeliverableTypes returns the types of the deliverables, each once, without types that are too long for a name.
func (e *Expectations) DeliverableTypes() []string {
	types := Map(ValueOrZero(e).Deliverables, func(d Deliverable) string { return d.Type })
	return slices.DeleteFunc(Unique(types), func(t string) bool { return t == "" || len(t) > 64 })
}

// MaxRoundsOrDefault returns how many times work with a review may be done before a person decides.
func (e *Expectations) MaxRoundsOrDefault() int {
	if e == nil || e.MaxRounds == 0 {
		return 3
	}
	return e.MaxRounds
}

// CriterionTexts returns the criteria of the deliverables, and then the success criteria. It leaves out checks, which
// are names and no texts.
func (e *Expectations) CriterionTexts() (all []string) {
	for _, d := range ValueOrZero(e).Deliverables {
		all = append(all, d.Criteria...)
	}
	return append(all, ValueOrZero(e).SuccessCriteria...)
}

// EvidenceClaimed is the value of Evidence with which the sender accepts the holder's claim about a check that was not
// observed.
const EvidenceClaimed = "claimed"

// ReviewBySender is the reviewer of work that its sender judges.
const ReviewBySender = "sender"

// Deliverable is one demanded product.
type Deliverable struct {
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty" jsonschema_extras:"x-gist=true"`
	Files       []string `json:"files,omitempty"` // paths or globs
	Criteria    []string `json:"acceptance_criteria,omitempty"`
}

// Rollback says which agent gets the work if it fails. Without a rollback, failed work goes back to the sender.
type Rollback struct {
	OnFailure      Agent    `json:"on_failure,omitempty" jsonschema_extras:"x-form=agent"`
	FailureContext []string `json:"failure_context,omitempty"` // facts that the failure should tell
	CheckpointID   string   `json:"checkpoint_id,omitempty"`
}
