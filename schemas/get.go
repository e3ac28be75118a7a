package schemas

import "time"

// GetIn holds the arguments of get_handoff: the handoff or notice, and how much of it to show. With WaitSeconds the
// call first waits for a change of the handoff, for at most this time. It does not wait for a handoff that has ended.
// MaxTokens limits the brief, or one page of a longer text, in estimated tokens. Offset is the number of bytes of the
// text before the next page. A call with a reference and no view reads the content of the reference.
type GetIn struct {
	// no_7 is a notice
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"`
	View      View   `json:"view,omitempty"`
	// spec.md, outcome/output…, with its part: #L1-40, #Heading, #/json/0
	Reference string `json:"reference,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"minimum=100,maximum=100000" jsonschema_extras:"x-clamp=true"`
	// Bytes to skip
	Offset int `json:"offset,omitempty" jsonschema:"minimum=0"`
	// For a change, view outcome: the end (≤50)
	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50" jsonschema_extras:"x-clamp=true"`
}

// View says which part of a handoff to show. The empty view shows the brief.
type View string

// Views lists the views in the order of their explanation.
var Views = []View{"brief", "full", "outcome", "events", "audit", "checkpoint", "reference"}

// GetOut is the result of get_handoff. The view decides which fields are set. "brief" sets Brief and Omitted. "full"
// sets Handoff, Standing, Children and sometimes Transfer, or Content if these are larger than the call allows.
// "outcome" sets Completion or Failure, and Late. "events", "audit" and "checkpoint" set the fields of these names, and
// "reference" sets Content. For a notice, only Notice is set.
type GetOut struct {
	HandoffID ID       `json:"handoff_id,omitempty"`
	Status    Status   `json:"status,omitempty"`
	Notice    *Notice  `json:"notice,omitempty"` // instead of the rest, for an id such as no_7
	Brief     string   `json:"brief,omitempty"`
	Omitted   []string `json:"omitted,omitempty"`
	// All that was sent
	Handoff  *Handoff      `json:"handoff,omitempty"`
	Transfer *ContextUsage `json:"transfer,omitempty"` // in view full, if the sender chose a strategy
	// Where it stands
	Standing *HandoffState `json:"standing,omitempty"`
	// Agents that could claim it now
	Routed *RoutingResult `json:"routed,omitempty"`
	// The completion
	Completion *Completion `json:"outcome,omitempty"`
	// The failure
	Failure *Failure `json:"failure,omitempty"`
	// Results that arrived after their claim was lost
	Late []LateResult `json:"late,omitempty"`
	// In words
	Events []HistoryEvent `json:"events,omitempty"`
	// With digests
	Audit []Event `json:"audit,omitempty"`
	// State, partial progress and a note
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
	Content    string      `json:"content,omitempty"`
	NextOffset int         `json:"next_offset,omitempty"` // there is more; pass it as offset
	Children   []ID        `json:"children,omitempty"`

	// When the caller's question was answered: it has its claim again
	Token     string     `json:"claim_token,omitempty"`
	LeaseEnds *time.Time `json:"lease_expires_at,omitempty"`

	// A question waits for your answer
	Asked bool `json:"asked,omitempty"`

	// Of a notice that the caller sent
	Read *bool `json:"read,omitempty"`

	// References whose content the caller may read
	Readable []string `json:"-"`

	MayJudge     bool `json:"-"` // the caller may accept or return the result
	AwaitsReview bool `json:"-"` // the caller sent it, and another agent judges the result
	MayTakeOver  bool `json:"-"` // the caller's name holds it, and another session claimed it
}

// LateResult is a completion or a failure that arrived after the holder lost its claim. Exactly one of the two fields
// is set.
type LateResult struct {
	Completion *Completion `json:"completion,omitempty"`
	Failure    *Failure    `json:"failure,omitempty"`
}
