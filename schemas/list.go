package schemas

import (
	"encoding/json"
	"time"
)

// ListIn are the arguments of list_handoffs: which mailbox of the caller, and which of its rows. Without a box it is
// the inbox. Filters add up. Since is a time, or a duration before now. A cursor goes on where an earlier list
// stopped, with the same filters.
type ListIn struct {
	// Default inbox
	Box      string       `json:"box,omitempty" jsonschema:"enum=inbox,enum=claimed,enum=sent,enum=notices,enum=all"`
	Status   StatusFilter `json:"status,omitempty"`
	Workflow string       `json:"workflow,omitempty"`
	Tags     []string     `json:"tags,omitempty"`
	Type     string       `json:"type,omitempty"`
	// Words of what was sent, decided, asked, answered and delivered
	Query string `json:"query,omitempty" jsonschema:"maxLength=200"`
	// Sent or ended since: RFC 3339 or '2h' ago
	Since string `json:"since,omitempty"`
	// Default 10, ≤50
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50" jsonschema_extras:"x-clamp=true"`
	Cursor string `json:"cursor,omitempty"`
	// In box notices: only unread, waiting for any (≤50)
	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50" jsonschema_extras:"x-clamp=true"`
}

// ListOut is the result of list_handoffs: as many rows as were asked for and fit. The inbox is in the order of
// claiming, the other boxes have the newest first. Listed notices count as read.
type ListOut struct {
	Items   []Item `json:"items"`
	Total   int    `json:"total,omitempty"`       // of all pages, on the first one
	AtLeast bool   `json:"at_least,omitempty"`    // the total is not all: counting ended early
	Cursor  string `json:"next_cursor,omitempty"` // there is more

	Warnings []string `json:"warnings,omitempty"` // time is behind

	Claimable      bool     `json:"-"` // the wait ended since something may be claimed
	FoundElsewhere int      `json:"-"` // how many the query finds in all boxes, where it finds none in this one
	UnmatchedWords []string `json:"-"` // words of the query that no handoff has which passes the other filters
	MatchedWords   string   `json:"-"` // the other words, where that is so
}

// Item is one row of a list: a handoff, or a notice when NoticeID is set.
type Item struct {
	HandoffID ID         `json:"handoff_id,omitempty"`
	NoticeID  NoticeID   `json:"notice_id,omitempty"`
	From      Agent      `json:"from,omitempty"`
	Rule      string     `json:"rule,omitempty"` // of a file that sent it, and from is system
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
	Reason    string     `json:"reason,omitempty"`                                              // why it stands so, where the status alone does not tell
	LastSign  *time.Time `json:"last_sign_of_life,omitempty" jsonschema_extras:"x-hidden=true"` // of its holder
	Tags      []string   `json:"tags,omitempty"`
	At        time.Time  `json:"at"`
	Successor ID         `json:"successor,omitempty"` // the handoff that took its place
	Kind      string     `json:"kind,omitempty"`      // of a notice
	Text      string     `json:"text,omitempty"`      // of a notice
	Unread    bool       `json:"unread,omitempty"`

	Settled bool `json:"-"` // of a notice: what it asks for was done, or is not to be done any more
}

// Notice is mail that is read, not claimed: the mailbox tells a sender what became of a handoff, or an agent sends a
// message. It stays after it was read. The text is clipped; the body has the whole of a message.
type Notice struct {
	ID    NoticeID        `json:"notice_id"`
	To    Agent           `json:"to"`
	From  Agent           `json:"from"`
	Rule  string          `json:"rule,omitempty"` // of a file that sent it, and from is system
	Kind  string          `json:"kind"`           // completed, failed, question, answer, cancelled, late, message …
	About ID              `json:"handoff_id,omitempty"`
	Title string          `json:"title,omitempty"`
	Text  string          `json:"text,omitempty"`
	At    time.Time       `json:"at"`
	Body  json.RawMessage `json:"body,omitempty" jsonschema_extras:"x-any=true"` // the whole message
}

// Inbox counts the mail of the caller and what it holds; every result of an agent's call carries it.
type Inbox struct {
	Pending int `json:"pending"`
	Urgent  int `json:"urgent,omitempty"` // of these, high and critical
	Notices int `json:"notices,omitempty"`
	Held    int `json:"held,omitempty"`
}
