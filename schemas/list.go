package schemas

import (
	"encoding/json"
	"time"
)

// ListIn holds the arguments of list_handoffs: a box of the caller, and filters. Without a box the call lists the
// inbox. A row is listed if it passes all filters. Since is a time, or a duration before now. A cursor continues an
// earlier list; the call must repeat the filters of that list.
type ListIn struct {
	// Default inbox
	Box      string       `json:"box,omitempty" jsonschema:"enum=inbox,enum=claimed,enum=sent,enum=notices,enum=all"`
	Status   StatusFilter `json:"status,omitempty"`
	Workflow string       `json:"workflow,omitempty"`
	Tags     []string     `json:"tags,omitempty"`
	Type     string       `json:"type,omitempty"`
	// Words of any text
	Query string `json:"query,omitempty" jsonschema:"maxLength=200"`
	// RFC 3339 or '2h' ago
	Since string `json:"since,omitempty"`
	// Default 10, ≤50
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_extras:"x-clamp=true"`
	Cursor string `json:"cursor,omitempty"`
	// For unread notices (≤50)
	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50" jsonschema_extras:"x-clamp=true"`
}

// ListOut is the result of list_handoffs. It has at most the requested number of rows, or fewer if the rows would make
// the result too large. The inbox is in the order of claims. The other boxes begin with the newest row. The notices in
// the list count as read from now on.
type ListOut struct {
	Items   []ListItem `json:"items"`
	Total   int        `json:"total,omitempty"`       // of all pages, on the first one
	AtLeast bool       `json:"at_least,omitempty"`    // the total is a minimum: counting ended early
	Cursor  string     `json:"next_cursor,omitempty"` // there is more

	Warnings []string `json:"warnings,omitempty"` // time is behind

	Claimable      bool     `json:"-"` // the wait ended because a handoff can be claimed
	FoundElsewhere int      `json:"-"` // matches of the query in all boxes, if this box has none
	UnmatchedWords []string `json:"-"` // words of the query that match no handoff which passes the other filters
	MatchedWords   string   `json:"-"` // the other words, if there are unmatched ones
}

// ListItem is one row of a list. It is a notice if NoticeID is set, else a handoff.
type ListItem struct {
	HandoffID ID         `json:"handoff_id,omitempty"`
	NoticeID  NoticeID   `json:"notice_id,omitempty"`
	From      Agent      `json:"from,omitempty"`
	Rule      string     `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	To        Address    `json:"to,omitempty"`
	Status    Status     `json:"status,omitempty"`
	Title     string     `json:"title,omitempty"`
	Type      string     `json:"type,omitempty"`
	Priority  Priority   `json:"priority,omitempty"` // absent when normal
	Holder    Agent      `json:"holder,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	Round     int        `json:"round,omitempty"`    // of rework
	Accepted  bool       `json:"accepted,omitempty"` // its result, by the sender
	Workflow  Workflow   `json:"workflow,omitempty"`
	BlockedBy []string   `json:"blocked_by,omitempty"`
	Deadline  *time.Time `json:"deadline,omitempty"`
	NotBefore *time.Time `json:"not_before,omitempty"`
	Reason    string     `json:"reason,omitempty"`                                              // why it is in this status, if the status alone does not tell
	LastSign  *time.Time `json:"last_sign_of_life,omitempty" jsonschema_extras:"x-hidden=true"` // of its holder
	Tags      []string   `json:"tags,omitempty"`
	Role      string     `json:"role,omitempty"` // that it needs, if it is not for a role
	At        time.Time  `json:"at"`
	Successor ID         `json:"successor,omitempty"` // the handoff that took its place
	Kind      string     `json:"kind,omitempty"`      // of a notice
	Text      string     `json:"text,omitempty"`      // of a notice
	Unread    bool       `json:"unread,omitempty"`

	Settled bool `json:"-"` // of a notice: its request was fulfilled or is no longer needed
}

// Notice is a message in a mailbox that is read and not claimed. The mailbox writes one to tell a sender what became of
// its handoff, and an agent can send one as a message. A notice stays in the mailbox after it was read. Text is
// shortened; Body holds the whole message.
type Notice struct {
	ID    NoticeID        `json:"notice_id"`
	To    Agent           `json:"to"`
	From  Agent           `json:"from"`
	Rule  string          `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	Kind  string          `json:"kind"`           // completed, failed, question, answer, cancelled, late, message …
	About ID              `json:"handoff_id,omitempty"`
	Title string          `json:"title,omitempty"`
	Text  string          `json:"text,omitempty"`
	At    time.Time       `json:"at"`
	Body  json.RawMessage `json:"body,omitempty" jsonschema_extras:"x-any=true"` // the whole message
}

// InboxCounts counts the caller's unclaimed handoffs, its unread notices and the handoffs that it holds. Every result
// of an agent's call has these counts.
type InboxCounts struct {
	Pending int `json:"pending"`
	Urgent  int `json:"urgent,omitempty"` // of these, high and critical
	Notices int `json:"notices,omitempty"`
	Held    int `json:"held,omitempty"`
}
