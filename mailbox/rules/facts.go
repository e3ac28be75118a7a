package rules

import (
	"encoding/json"
	"maps"
	"slices"

	"handoff/schemas"
)

// Facts holds the values that expressions can read: the handoff of the event, its outcome, and root, the first handoff
// of the chain (handoffs that continue one another).
type Facts struct {
	Handoff, Root Handoff
	Outcome       Outcome
	Budget        *Budget // of the operation
}

// Handoff is a handoff as expressions see it. The cel tags of the fields are the names that expressions use. In the
// fact root, Task is the task that the sender wrote, even if the first step of a plan changes the text.
type Handoff struct {
	ID      string            `cel:"id"`
	Type    string            `cel:"type"`
	Title   string            `cel:"title"`
	Task    string            `cel:"task"`
	Summary string            `cel:"summary"`
	Detail  string            `cel:"detail"`
	Data    map[string]string `cel:"data"`
	Tags    []string          `cel:"tags"`

	Constraints []string `cel:"constraints"`
	Criteria    []string `cel:"criteria"`
	TestCommand string   `cel:"test_command"`

	Priority string `cel:"priority"`
	From     string `cel:"from"`
	To       string `cel:"to"`     // the address
	Holder   string `cel:"holder"` // the agent that did it, or holds it
	Status   string `cel:"status"`
	Step     string `cel:"step"` // as PLAN/STEP
	Round    int    `cel:"round"`
	Attempt  int    `cel:"attempt"`
	Depth    int    `cel:"depth"`
	Workflow string `cel:"workflow"`
}

// Outcome is the outcome of a handoff. Passed is true if the handoff was done well enough for the handoffs that depend
// on it.
type Outcome struct {
	Status      string            `cel:"status"` // success, partial, failed, rejected, timed_out …
	Passed      bool              `cel:"passed"`
	Summary     string            `cel:"summary"` // of a failure, its description
	Detail      string            `cel:"detail"`
	Data        map[string]string `cel:"data"`
	Results     map[string]any    `cel:"results"`
	Output      any               `cel:"output"`
	Notes       []string          `cel:"notes"`
	Unmet       []string          `cel:"unmet"` // criteria
	TestsPassed int               `cel:"tests_passed"`
	TestsFailed int               `cel:"tests_failed"`
	FailureType string            `cel:"failure_type"`
	Alternative string            `cel:"alternative"` // the agent that the rejecting agent suggests
}

// HandoffFacts returns the values of a handoff for expressions.
func HandoffFacts(h schemas.Handoff, to schemas.Address, holder schemas.Agent, status schemas.Status) Handoff {
	return Handoff{
		ID: h.ID.String(), Type: h.Type, Title: h.Title, Task: h.Task, Summary: h.Summary, Detail: h.Detail, Data: h.Data,
		Tags: h.Tags, Priority: string(h.Metadata.Priority), From: string(h.Source.Agent), To: string(to),
		Holder: string(holder), Status: string(status), Step: h.Metadata.Step, Attempt: h.Metadata.Attempt,
		Depth: h.Metadata.Depth, Workflow: string(h.Metadata.Workflow),
		Constraints: schemas.ValueOrZero(h.Expectations).Constraints, Criteria: h.Expectations.CriterionTexts(),
		TestCommand: schemas.ValueOrZero(h.Context).TestCommand,
	}
}

// CompletedOutcome returns the outcome of a completed handoff.
func CompletedOutcome(c schemas.Completion) Outcome {
	read := c.AsRead()
	o := Outcome{
		Status: string(c.Status), Summary: c.Summary, Detail: c.Detail, Data: resultTexts(c.Results),
		Results: read.Results, Notes: c.Notes,
	}
	maps.Copy(o.Data, c.Data)
	_ = json.Unmarshal(read.Output, &o.Output) // a completion keeps only JSON
	unmet := slices.DeleteFunc(slices.Clone(c.Criteria), schemas.AnsweredCriterion.IsMet)
	o.Unmet = schemas.Map(unmet, func(a schemas.AnsweredCriterion) string { return a.Criterion })
	v := schemas.ValueOrZero(c.Verification)
	o.TestsPassed, o.TestsFailed = v.TestsPassed, v.TestsFailed
	return o
}

// FailedOutcome returns the outcome of a failed or rejected handoff.
func FailedOutcome(f schemas.Failure) Outcome {
	return Outcome{
		Status: string(f.Status), Summary: f.Failure.Description, Detail: f.Failure.Detail, Data: resultTexts(f.Failure.Results),
		Results: f.Failure.Results, FailureType: f.Failure.Type, Alternative: f.Alternative,
		Notes: schemas.Map(f.Failure.Blockers, func(b schemas.Blocker) string { return b.Description }),
	}
}

// resultTexts returns the results as texts, which conditions read in the data of an outcome, too.
func resultTexts(results map[string]any) map[string]string {
	texts := map[string]string{}
	for name, value := range results {
		texts[name] = schemas.ValueText(value)
	}
	return texts
}
