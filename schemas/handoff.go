package schemas

import (
	"encoding/json"
	"time"
)

// Handoff is what was sent: it changes only when the sender amends it. Where it stands is in [Standing].
// Its fields are those of the Kelos TaskHandoff proposal (version, summary, detail, data), the agent
// handoff protocols' HandoffPackage, the handoff protocol agent's message, and the explicit handoff
// coordination plan, under one set of names.
type Handoff struct {
	Schema int `json:"schema,omitempty"` // version of the stored form, see [Version]
	ID     ID  `json:"handoff_id,omitempty"`

	Source Source `json:"source"`
	Target Target `json:"target"`

	Type         string   `json:"type,omitempty"`
	Title        string   `json:"title,omitempty"`
	Task         string   `json:"task"`
	TaskID       string   `json:"task_id,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	Kind         string   `json:"kind,omitempty"` // as implementation_to_testing; assignment when no work came before

	Version int               `json:"version,omitempty"` // of the payload: summary, detail, data
	Summary string            `json:"summary,omitempty"`
	Detail  string            `json:"detail,omitempty"`
	Data    map[string]string `json:"data,omitempty"`

	Context      *Context      `json:"context,omitempty"`
	Expectations *Expectations `json:"expectations,omitempty"`
	Rollback     *Rollback     `json:"rollback,omitempty"`
	Metadata     Metadata      `json:"metadata"`
	Origin       *Origin       `json:"origin,omitempty"`
}

// Source is who sent.
type Source struct {
	Agent   Agent  `json:"agent,omitempty"`
	AgentID string `json:"agent_id,omitempty"`
	Phase   string `json:"phase,omitempty"`
}

// Target is for whom: exactly one of Agent, Capability and Role is set.
type Target struct {
	Agent      Agent  `json:"agent,omitempty"`
	Capability string `json:"capability,omitempty"`
	Role       string `json:"role,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// Context is what is already known.
type Context struct {
	OriginalRequest   string         `json:"original_request,omitempty"`
	CompletedSteps    []string       `json:"completed_steps,omitempty"`
	Results           map[string]any `json:"results,omitempty"`
	Decisions         []Decision     `json:"decisions,omitempty"`
	Files             []File         `json:"files,omitempty"`
	Artifacts         []Artifact     `json:"artifacts,omitempty"`
	State             map[string]any `json:"state,omitempty"`
	Memories          []string       `json:"memories,omitempty"`
	PreviousFailures  []string       `json:"previous_failures,omitempty"`
	KnownIssues       []string       `json:"known_issues,omitempty"`
	TestCommand       string         `json:"test_command,omitempty"`
	ReproductionSteps []string       `json:"reproduction_steps,omitempty"`
	Project           *Project       `json:"project,omitempty"`
	References        []Reference    `json:"references,omitempty"`

	// The following are filled by the mailbox when work goes on after a question, a failure or a return.

	Questions       []string         `json:"questions,omitempty" jsonschema_extras:"x-filled=true"`
	Answers         []Answer         `json:"answers,omitempty" jsonschema_extras:"x-filled=true"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty" jsonschema_extras:"x-filled=true"`
	Checkpoint      *Checkpoint      `json:"checkpoint,omitempty" jsonschema_extras:"x-filled=true"`
}

// Decision is what was decided and why.
type Decision struct {
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
}

// File points into a file of the project.
type File struct {
	Path  string `json:"path"`
	Lines string `json:"lines,omitempty"` // as 1-9
	Note  string `json:"note,omitempty"`
}

// Artifact is something made before, by path or in full.
type Artifact struct {
	Type        string `json:"type,omitempty"`
	Path        string `json:"path,omitempty"`
	Content     string `json:"content,omitempty"`
	Description string `json:"description,omitempty"`
	Rationale   string `json:"rationale,omitempty"`
}

// Project is where the work happens.
type Project struct {
	Name      string   `json:"name,omitempty"`
	Path      string   `json:"path,omitempty"`
	TechStack []string `json:"tech_stack,omitempty"`
	Branch    string   `json:"branch,omitempty"`
	Commit    string   `json:"commit,omitempty"`
	Dirty     bool     `json:"dirty,omitempty"`
}

// Reference names content kept once under its address, context://…
type Reference struct {
	URL       string   `json:"url"`
	KeyPoints []string `json:"key_points,omitempty"`
	Bytes     int      `json:"bytes,omitempty"`
	Tokens    int      `json:"tokens,omitempty"` // estimated
}

// Answer is a reply to the questions of a holder.
type Answer struct {
	Questions []string  `json:"questions,omitempty"`
	Answer    string    `json:"answer"`
	From      Agent     `json:"from"`
	At        time.Time `json:"at"`
}

// Expectations is what must come back.
type Expectations struct {
	// {type, description, files[], acceptance_criteria[]}
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
}

// Deliverable is one thing that must come back.
type Deliverable struct {
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty"`
	Files       []string `json:"files,omitempty"` // paths or globs
	Criteria    []string `json:"acceptance_criteria,omitempty"`
}

// Rollback says where work goes when it fails; without it, to the sender.
type Rollback struct {
	OnFailure      Agent    `json:"on_failure,omitempty"`
	FailureContext []string `json:"failure_context,omitempty"` // what the failure should tell
	CheckpointID   string   `json:"checkpoint_id,omitempty"`
}

// Metadata places a handoff in its workflow.
type Metadata struct {
	Priority        Priority   `json:"priority,omitempty"`
	Deadline        *time.Time `json:"deadline,omitempty"`
	NotBefore       *time.Time `json:"not_before,omitempty"`
	Workflow        Workflow   `json:"workflow_id,omitempty"`
	Parent          ID         `json:"parent_handoff,omitempty"`
	Depth           int        `json:"depth,omitempty"` // a root has 1
	Attempt         int        `json:"attempt,omitempty"`
	MaxAttempts     int        `json:"max_attempts,omitempty"`
	RetryOf         ID         `json:"retry_of,omitempty"`
	CreatedAt       time.Time  `json:"created_at,omitzero"`
	EstimatedTokens int        `json:"estimated_tokens,omitempty"`

	After         []string           `json:"after,omitempty"`
	NeedsApproval bool               `json:"needs_approval,omitempty"`
	NoTakers      string             `json:"no_takers,omitempty"`
	Strategy      string             `json:"strategy,omitempty"`
	Recall        int                `json:"recall,omitempty"`
	Limits        map[string]float64 `json:"limits,omitempty"`
}

// Origin is what a foreign message said of itself. It never becomes ours, but its id finds our record.
type Origin struct {
	HandoffID    string         `json:"handoff_id,omitempty"`
	CompletionID string         `json:"completion_id,omitempty"`
	FailureID    string         `json:"failure_id,omitempty"`
	CheckpointID string         `json:"checkpoint_id,omitempty"`
	Timestamp    string         `json:"timestamp,omitempty"`
	Version      string         `json:"version,omitempty"`
	Source       *Source        `json:"source,omitempty"`
	Target       *Target        `json:"target,omitempty"`
	Workflow     string         `json:"workflow_id,omitempty"`
	Parent       string         `json:"parent_handoff,omitempty"`
	Depth        int            `json:"depth,omitempty"`
	Attempt      int            `json:"attempt,omitempty"`
	Status       string         `json:"status,omitempty"`
	Subject      string         `json:"subject,omitempty"`
	Extra        map[string]any `json:"extra,omitempty"` // known fields of a foreign message with no place of their own
}

// Standing is where a handoff stands now, apart from what was sent.
type Standing struct {
	Status     Status     `json:"status"`
	Box        Address    `json:"box,omitempty"` // whose mailbox it waits in
	Holder     Agent      `json:"holder,omitempty"`
	HolderID   string     `json:"holder_id,omitempty"`
	Attempt    int        `json:"attempt,omitempty"`
	LeaseEnds  *time.Time `json:"lease_expires_at,omitempty"`
	ClaimedAt  *time.Time `json:"claimed_at,omitempty"` // first claim
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	Percent    int        `json:"percent,omitempty"`
	Note       string     `json:"note,omitempty"` // of the last progress
	Questions  []string   `json:"questions,omitempty"`
	BlockedBy  []string   `json:"blocked_by,omitempty"`
	Excluded   []Agent    `json:"excluded,omitempty"`
	Outcome    Outcome    `json:"outcome,omitempty"`
	Successor  ID         `json:"successor,omitempty"`
	Checkpoint string     `json:"checkpoint_id,omitempty"`
	Late       int        `json:"late_results,omitempty"`
}
