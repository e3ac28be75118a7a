package schemas

import (
	"encoding/json"
	"time"
)

// ClaimIn holds the arguments of claim_handoff. An agent claims one handoff from its mailboxes: the given one, or the
// next by priority and age. With WaitSeconds the call waits for a handoff. With Tags it claims only a handoff that
// has one of these tags. MaxTokens bounds the brief, in estimated tokens.
type ClaimIn struct {
	HandoffID string `json:"handoff_id,omitempty"` // default: next for you
	// For mail (≤50)
	WaitSeconds int      `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50" jsonschema_extras:"x-clamp=true"`
	Tags        []string `json:"tags,omitempty"` // with one of these
	View        View     `json:"view,omitempty" jsonschema:"enum=brief,enum=full"`
	// Of the brief, default 1500
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"minimum=100,maximum=100000" jsonschema_extras:"x-clamp=true"`
}

// ClaimOut is the result of claim_handoff: the claim, its lease, and the brief of the work. The holder proves its claim
// with the token when it calls complete_handoff, fail_handoff or update_handoff. A newer claim of the same handoff
// makes the token invalid. When the lease ends, other agents may claim the handoff. A progress report extends the
// lease, and so does the open connection of the holder. If Empty is true, no handoff waits; this is no error.
type ClaimOut struct {
	Empty     bool       `json:"empty,omitempty"` // nothing waits
	HandoffID ID         `json:"handoff_id,omitempty"`
	Token     string     `json:"claim_token,omitempty"` // fencing token: a newer claim voids it
	LeaseEnds *time.Time `json:"lease_expires_at,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	From      Agent      `json:"from,omitempty"`
	Rule      string     `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	Title     string     `json:"title,omitempty"`
	Priority  Priority   `json:"priority,omitempty"` // absent when normal
	Workflow  Workflow   `json:"workflow,omitempty"`
	Criteria  int        `json:"criteria,omitempty"` // how many complete_handoff must answer
	Brief     string     `json:"brief,omitempty"`
	// All that was sent, with view full
	Handoff  *Handoff      `json:"handoff,omitempty"`
	Omitted  []string      `json:"omitted,omitempty"`  // left out of the brief; get_handoff full has them
	Transfer *ContextUsage `json:"transfer,omitempty"` // with view full
	Holding  []ID          `json:"holding,omitempty"`  // all handoffs that this agent holds, if there are others or none waits
	// Unread ones, when nothing waits
	Notices []ListItem `json:"notices,omitempty"`

	ToDo     CompletionNeeds `json:"-"`                  // contents of a completion
	Overlaps []string        `json:"overlaps,omitempty"` // other agents that hold work on the same files, each reported once

	Resume      []Advice `json:"-"` // shows the oldest handoff that the agent held before
	MoreNotices bool     `json:"-"` // more notices are unread than are shown
	WaitingMail string   `json:"-"` // a sentence on mail that the agent does not get now, or on its unknown name
	OnlyUnread  bool     `json:"-"` // the brief has only the parts that the session has not read
}

// CompletionNeeds lists what a completion must contain in addition to its summary. The advice to a holder shows a
// complete_handoff call with these contents.
type CompletionNeeds struct {
	Criteria int             // number of criteria that it answers
	Output   json.RawMessage // a template for its output; empty if the handoff asks for none
}

// ContextUsage says how much context the holder gets with the handoff, in estimated tokens.
type ContextUsage struct {
	Strategy       string `json:"strategy"`
	Tokens         int    `json:"tokens"`
	OriginalTokens int    `json:"original_tokens,omitempty"`
	SummaryTokens  int    `json:"summary_tokens,omitempty"`
}
