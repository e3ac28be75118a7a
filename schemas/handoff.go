package schemas

import (
	"slices"
	"time"
)

// Handoff is what was sent: it changes only when the sender amends it. Where it stands is in [Standing]. The mailbox
// makes it of [SendIn], and gives it in full to whoever claims or reads it with view full. [Limits] bounds it as JSON.
//
// Its fields are those of the Kelos TaskHandoff proposal (version, summary, detail, data), the agent handoff
// protocols' HandoffPackage, the handoff protocol agent's message, and the explicit handoff coordination plan, under
// one set of names.
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
	Rework       *Rework       `json:"rework,omitempty"`
	Tree         *Tree         `json:"tree,omitempty"` // of its sender: observed, not said
	Review       *Review       `json:"review,omitempty"`
}

// ByRule is the rule of a file that sent a handoff, nil where somebody did, in whosever words. It speaks for the file
// alone, though the handoff is from system.
func (h *Handoff) ByRule() *SentBy {
	if h.Source.Agent != System {
		return nil
	}
	return h.Metadata.SentBy
}

// Review says that a handoff judges the result of another. Its output is a [Verdict].
type Review struct {
	Of     ID    `json:"of"`
	Round  int   `json:"round"`  // of that work, from 1
	Rounds int   `json:"rounds"` // after which a person decides
	By     Agent `json:"by"`     // who did the work
}

// Verdict is the output of a review. Rework has points.
type Verdict struct {
	Verdict string   `json:"verdict"` // [VerdictAccept] or [VerdictRework]
	Points  []string `json:"points,omitempty"`
}

// The verdicts of a review.
const (
	VerdictAccept = "accept"
	VerdictRework = "rework"
)

// Rework says that a handoff does work again whose result was returned. Points are the criteria of this round: they are
// among the success criteria of the handoff, and stand first in its brief.
type Rework struct {
	Of     ID       `json:"of"`    // the first handoff of the work
	Round  int      `json:"round"` // the first handoff was round 1
	By     Agent    `json:"by"`    // who returned the result
	Reason string   `json:"reason,omitempty"`
	Points []string `json:"points,omitempty"`
}

// HasPoint tells whether a criterion is one of the round. Without a rework none is.
func (r *Rework) HasPoint(criterion string) bool {
	return r != nil && slices.Contains(r.Points, criterion)
}

// Source is who sent. The connection proves the agent and says how far it is trusted; the phase is what the sender said.
// Resembles is a known agent for which a reader could take the sender, as it is when the handoff is read.
type Source struct {
	Agent     Agent  `json:"agent,omitempty"`
	AgentID   string `json:"agent_id,omitempty"`
	Trust     Trust  `json:"trust,omitempty" jsonschema_extras:"x-filled=true"`
	Resembles Agent  `json:"resembles,omitempty" jsonschema_extras:"x-filled=true"`
	Phase     string `json:"phase,omitempty"`
}

// Target is for whom: exactly one of Agent, Capability and Role is set.
type Target struct {
	Agent      Agent  `json:"agent,omitempty"`
	Capability string `json:"capability,omitempty"`
	Role       string `json:"role,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// Address is the target as a caller writes it.
func (t Target) Address() Address {
	switch {
	case t.Agent != "":
		return Address(t.Agent)
	case t.Capability != "":
		return Address("capability:" + t.Capability)
	}
	return Address("role:" + t.Role)
}

// Metadata places a handoff in its workflow: what comes before it, when it is due, how often it may be tried and how
// much context goes along. The mailbox fills depth, attempt, retry_of, created_at and estimated_tokens. The rest is
// what the sender asked for, with a deadline that amend may have moved.
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
	SentBy   *SentBy            `json:"sent_by,omitempty"`
	Limits   map[string]float64 `json:"limits,omitempty"`
}

// Origin is what a foreign message said of itself. It never becomes ours, but its id finds our record: the sender may
// name the handoff by the id that its own protocol gave. Package respell fills it. Extra keeps known fields that have
// no argument, under their path in the message.
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

// Standing is where a handoff stands now, apart from what was sent. The mailbox makes it of the record on each
// reading. Percent is of the whole work, as the holder said last. Late counts the results that arrived after their
// claim was lost.
type Standing struct {
	Status     Status     `json:"status"`
	Box        Address    `json:"box,omitempty"` // whose mailbox it waits in
	Holder     Agent      `json:"holder,omitempty"`
	HolderID   string     `json:"holder_id,omitempty"`
	Attempt    int        `json:"attempt,omitempty"`
	LeaseEnds  *time.Time `json:"lease_expires_at,omitempty"`
	ClaimedAt  *time.Time `json:"claimed_at,omitempty"` // first claim
	ClaimedIn  *Tree      `json:"claimed_in,omitempty"` // where the last claim was made
	Base       string     `json:"base,omitempty"`       // commit with which checks compare, or [UnknownBase]; of the view full
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	AcceptedAt *time.Time `json:"accepted_at,omitempty"` // by its sender
	Reviewer   string     `json:"reviewer,omitempty"`    // whose verdict on the result is awaited
	Percent    int        `json:"percent,omitempty"`
	Note       string     `json:"note,omitempty"`              // of the last progress
	Refused    string     `json:"refused,omitempty"`           // why its completion was refused since that
	Reason     string     `json:"reason,omitempty"`            // why it stands so, where the status alone does not tell
	LastSign   *time.Time `json:"last_sign_of_life,omitempty"` // of its holder
	Questions  []string   `json:"questions,omitempty"`
	BlockedBy  []string   `json:"blocked_by,omitempty"`
	Excluded   []Agent    `json:"excluded,omitempty"`
	Outcome    Outcome    `json:"outcome,omitempty"`
	Successor  ID         `json:"successor,omitempty"`
	Checkpoint string     `json:"checkpoint_id,omitempty"`
	Late       int        `json:"late_results,omitempty"`
	NotKept    bool       `json:"not_kept,omitempty"` // what was sent is not kept in full any more: it cannot be returned or done again
}

// DoneWell is the rule by which work counts as done for all that goes on after it: it is completed, and either somebody
// who judges it accepted it, or its outcome is success and its sender asked for no review.
func DoneWell(s Status, o Outcome, accepted, reviewed bool) bool {
	return s == Completed && (accepted || o == Success && !reviewed)
}

// UnknownBase stands in the place of a commit where the work was sent and first claimed outside of a checkout.
const UnknownBase = "unknown"

// AcceptanceOf stands in blocked_by before the id of a handoff whose result has to be accepted.
const AcceptanceOf = "acceptance of "
