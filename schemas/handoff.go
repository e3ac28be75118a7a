package schemas

import (
	"cmp"
	"slices"
	"time"
)

// Handoff is the sender's message. It changes only if the sender amends it; [HandoffState] holds the state of the
// handoff, which does change. The mailbox makes the Handoff from [SendIn], and returns all of it to an agent that
// claims or reads it with the view "full". [Limits] bounds its size as JSON.
//
// Its fields come from the Kelos TaskHandoff proposal (version, summary, detail, data), the HandoffPackage of the agent
// handoff protocols, the message of the handoff protocol agent, and the explicit handoff coordination plan. If these
// have several names for one field, the Handoff has one of the names.
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
	Kind         string   `json:"kind,omitempty"` // such as implementation_to_testing; assignment if no work came before

	Version int               `json:"version,omitempty"` // of the payload: summary, detail, data
	Summary string            `json:"summary,omitempty"`
	Detail  string            `json:"detail,omitempty"`
	Data    map[string]string `json:"data,omitempty"`

	Context      *Context      `json:"context,omitempty"`
	Expectations *Expectations `json:"expectations,omitempty"`
	Rollback     *Rollback     `json:"rollback,omitempty"`
	Metadata     Metadata      `json:"metadata"`
	Origin       *Origin       `json:"origin,omitempty"`
	Rework       *Rework       `json:"rework,omitempty"`
	Tree         *Tree         `json:"tree,omitempty"` // of its sender: observed by the process, not said
	Review       *Review       `json:"review,omitempty"`
}

// ByRule returns the rule of a file that sent the handoff, or nil if an agent or person sent it. The sender of a
// handoff from a rule is system, but the task is only what the file says, not an order of the server.
func (h *Handoff) ByRule() *SendingRule {
	if h.Source.Agent != System {
		return nil
	}
	return h.Metadata.SentBy
}

// OriginalTask returns the text that the sender of a workflow wrote, even if the first step of the workflow changes the
// task.
func (h *Handoff) OriginalTask() string {
	return cmp.Or(ValueOrZero(h.Context).OriginalRequest, h.Task)
}

// Review marks a handoff whose work is to judge the result of another handoff. The output of this work is a [Verdict].
type Review struct {
	Of     ID    `json:"of"`
	Round  int   `json:"round"`  // of this work, from 1
	Rounds int   `json:"rounds"` // after these a person decides
	By     Agent `json:"by"`     // the agent that did the work
}

// Verdict is the output of a review. A verdict of rework lists the points to improve.
type Verdict struct {
	Verdict string   `json:"verdict"` // [VerdictAccept] or [VerdictRework]
	Points  []string `json:"points,omitempty"`
}

// The verdicts of a review.
const (
	VerdictAccept = "accept"
	VerdictRework = "rework"
)

// Rework marks a handoff that repeats work whose result was returned. Points are the points that the result was
// returned for. They are also success criteria of the new handoff, and come first in its brief.
type Rework struct {
	Of     ID       `json:"of"`    // the first handoff of the work
	Round  int      `json:"round"` // the first handoff was round 1
	By     Agent    `json:"by"`    // the agent that returned the result
	Reason string   `json:"reason,omitempty"`
	Points []string `json:"points,omitempty"`
}

// HasPoint reports whether a criterion is one of the points that the result was returned for. It returns false for a
// nil Rework.
func (r *Rework) HasPoint(criterion string) bool {
	return r != nil && slices.Contains(r.Points, criterion)
}

// Source is the sender. The connection proves Agent and Trust. Phase is the phase of the work as the sender wrote it.
// Resembles is another known agent whose name looks almost the same, so that a reader could confuse the two. The
// mailbox fills it at each reading.
type Source struct {
	Agent     Agent  `json:"agent,omitempty"`
	AgentID   string `json:"agent_id,omitempty"`
	Trust     Trust  `json:"trust,omitempty" jsonschema_extras:"x-filled=true"`
	Resembles Agent  `json:"resembles,omitempty" jsonschema_extras:"x-filled=true"`
	Phase     string `json:"phase,omitempty"`
}

// Target is the recipient: exactly one of Agent, Capability, Role and Tag is set.
type Target struct {
	Agent      Agent  `json:"agent,omitempty"`
	Capability string `json:"capability,omitempty"`
	Role       string `json:"role,omitempty"`
	Tag        string `json:"tag,omitempty"` // a skill
	Reason     string `json:"reason,omitempty"`
}

// Address returns the target as a caller writes it.
func (t Target) Address() Address {
	switch {
	case t.Agent != "":
		return Address(t.Agent)
	case t.Capability != "":
		return Address("capability:" + t.Capability)
	case t.Tag != "":
		return Address("tag:" + t.Tag)
	}
	return Address("role:" + t.Role)
}

// Metadata places a handoff in its workflow: its predecessors, its deadline, its number of attempts and the amount of
// its context. The mailbox fills depth, attempt, retry_of, created_at and estimated_tokens. The sender gave the other
// fields. A later amendment may have moved the deadline.
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

	After         []string `json:"after,omitempty"`
	AfterAccepted []string `json:"after_accepted,omitempty"`
	Terms
	Strategy string             `json:"strategy,omitempty"`
	Recall   int                `json:"recall,omitempty"`
	Step     string             `json:"step,omitempty"` // of a plan, as PLAN/STEP
	SentBy   *SendingRule       `json:"sent_by,omitempty"`
	Limits   map[string]float64 `json:"limits,omitempty"`
}

// Origin holds the ids and other header fields of a message of another protocol. They have no effect on the handoff,
// with one exception: in later calls, the sender may name the handoff by its id in the other protocol. Package respell
// fills Origin. Extra keeps the known fields of the message that match no argument, under their path in the message.
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
	Extra        map[string]any `json:"extra,omitempty"` // known fields of a foreign message without a field of their own
}

// HandoffState is the present state of a handoff. The sender's message ([Handoff]) does not change with it. The mailbox
// makes it from the record at each reading. Percent is how much of the whole work is done, by the holder's last report.
// Late counts the results that arrived after the holder lost its claim.
type HandoffState struct {
	Status     Status     `json:"status"`
	Box        Address    `json:"box,omitempty"` // the mailbox that it waits in
	Holder     Agent      `json:"holder,omitempty"`
	HolderID   string     `json:"holder_id,omitempty"`
	Attempt    int        `json:"attempt,omitempty"`
	LeaseEnds  *time.Time `json:"lease_expires_at,omitempty"`
	ClaimedAt  *time.Time `json:"claimed_at,omitempty"` // first claim
	ClaimedIn  *Tree      `json:"claimed_in,omitempty"` // place of the last claim
	Base       string     `json:"base,omitempty"`       // commit with which checks compare, or [UnknownBase]; of the view full
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	AcceptedAt *time.Time `json:"accepted_at,omitempty"` // by its sender
	Reviewer   string     `json:"reviewer,omitempty"`    // the agent or person whose verdict on the result is awaited
	Percent    int        `json:"percent,omitempty"`
	Note       string     `json:"note,omitempty"`              // of the last progress
	Refused    string     `json:"refused,omitempty"`           // why its completion was refused since the last progress
	Reason     string     `json:"reason,omitempty"`            // why it is in this status, if the status alone does not tell
	LastSign   *time.Time `json:"last_sign_of_life,omitempty"` // of its holder
	Questions  []string   `json:"questions,omitempty"`
	BlockedBy  []string   `json:"blocked_by,omitempty"`
	Excluded   []Agent    `json:"excluded,omitempty"`
	Outcome    Outcome    `json:"outcome,omitempty"`
	Successor  ID         `json:"successor,omitempty"`
	Checkpoint string     `json:"checkpoint_id,omitempty"`
	Late       int        `json:"late_results,omitempty"`
	NotKept    bool       `json:"not_kept,omitempty"` // the full text of the handoff is no longer kept: it cannot be returned or done again
}

// IsDoneWell reports whether work counts as done. Completed work whose result a reviewer or the sender accepted counts
// as done. Completed work with the outcome success counts as done without acceptance, if the sender asked for no
// review. All parts of handoff use this one rule.
func IsDoneWell(s Status, o Outcome, accepted, reviewed bool) bool {
	return s == Completed && (accepted || o == Success && !reviewed)
}

// UnknownBase stands in place of the base commit of a handoff if neither the sender nor the first holder was in a
// checkout of a repository.
const UnknownBase = "unknown"

// AcceptanceOf is the text before an id in blocked_by if it is not enough that the handoff with this id is completed:
// its result must also be accepted.
const AcceptanceOf = "acceptance of "
