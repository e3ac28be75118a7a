package schemas

import (
	"encoding/json"
	"time"
)

// ClaimIn are the arguments of claim_handoff. An agent takes one handoff from its mailboxes: the given one, or else
// the next by priority and age. With WaitSeconds the call waits for one, and with Tags it takes only a handoff that
// has one of these tags. MaxTokens bounds the brief, in estimated tokens.
type ClaimIn struct {
	// Default: next for you
	HandoffID string `json:"handoff_id,omitempty"`
	// Wait for mail (≤50)
	WaitSeconds int      `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50" jsonschema_extras:"x-clamp=true"`
	Tags        []string `json:"tags,omitempty"` // with one of these
	View        View     `json:"view,omitempty" jsonschema:"enum=brief,enum=full"`
	// Of the brief, default 1500
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"minimum=100,maximum=100000" jsonschema_extras:"x-clamp=true"`
}

// ClaimOut is the result of claim_handoff: the claim, its lease, and the brief of the work. The token proves the claim
// to complete_handoff, fail_handoff and update_handoff, and a newer claim voids it. When the lease ends, others may
// claim; progress puts the end off, and so does the open connection of the holder. Empty means that nothing waits:
// that is no error.
type ClaimOut struct {
	Empty     bool       `json:"empty,omitempty"` // nothing waits
	HandoffID ID         `json:"handoff_id,omitempty"`
	Token     string     `json:"claim_token,omitempty"` // fencing token: a newer claim voids it
	LeaseEnds *time.Time `json:"lease_expires_at,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	From      Agent      `json:"from,omitempty"`
	Rule      string     `json:"rule,omitempty"` // of a file that sent it, and from is system
	Title     string     `json:"title,omitempty"`
	Priority  Priority   `json:"priority,omitempty"` // absent when normal
	Workflow  Workflow   `json:"workflow,omitempty"`
	Criteria  int        `json:"criteria,omitempty"` // how many complete_handoff must answer
	Brief     string     `json:"brief,omitempty"`
	// All that was sent, with view full
	Handoff  *Handoff  `json:"handoff,omitempty" jsonschema_extras:"x-free=true"`
	Omitted  []string  `json:"omitted,omitempty"`  // left out of the brief; get_handoff full has them
	Transfer *Transfer `json:"transfer,omitempty"` // with view full
	Holding  []ID      `json:"holding,omitempty"`  // all that this agent holds, where that is more or nothing waits
	// Unread ones, when nothing waits
	Notices []Item `json:"notices,omitempty" jsonschema_extras:"x-free=true"`

	ToDo ToDo `json:"-"` // what a completion has to say
	// What became of the files of the context
	SinceSent string   `json:"since_sent,omitempty"`
	Overlaps  []string `json:"overlaps,omitempty"` // who else holds work on the same files, each told once

	Resume      []Advice `json:"-"` // the call that shows the oldest of what it held before
	MoreNotices bool     `json:"-"` // are unread than are shown
	WaitingMail string   `json:"-"` // a sentence on mail that the agent does not get now
	OnlyUnread  bool     `json:"-"` // the brief has only what the session has not read
}

// ToDo is what a completion has to say beside its summary, for the call that is advised to a holder.
type ToDo struct {
	Criteria int             // how many it answers by number
	Output   json.RawMessage // a template for its output; empty where none is asked for
}

// Transfer says how much context came along, in estimated tokens.
type Transfer struct {
	Strategy       string `json:"strategy"`
	Tokens         int    `json:"tokens"`
	OriginalTokens int    `json:"original_tokens,omitempty"`
	SummaryTokens  int    `json:"summary_tokens,omitempty"`
}
