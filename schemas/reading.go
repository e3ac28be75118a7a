package schemas

import (
	"encoding/json"
	"time"
)

// ListIn are the arguments of list_handoffs.
type ListIn struct {
	// Default inbox
	Box      string   `json:"box,omitempty" jsonschema:"enum=inbox,enum=claimed,enum=sent,enum=notices,enum=all"`
	Status   Status   `json:"status,omitempty"`
	Workflow string   `json:"workflow,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Type     string   `json:"type,omitempty"`
	Query    string   `json:"query,omitempty" jsonschema:"maxLength=200"`
	// RFC 3339 or '2h' ago
	Since string `json:"since,omitempty"`
	// Default 10, ≤50
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50"`
	Cursor string `json:"cursor,omitempty"`
}

// ListOut is the result of list_handoffs.
type ListOut struct {
	Items  []Item `json:"items"`
	Cursor string `json:"next_cursor,omitempty"` // there is more
}

// Item is one row of a list: a handoff, or a notice when NoticeID is set.
type Item struct {
	HandoffID ID        `json:"handoff_id,omitempty"`
	NoticeID  NoticeID  `json:"notice_id,omitempty"`
	From      Agent     `json:"from,omitempty"`
	To        Address   `json:"to,omitempty"`
	Status    Status    `json:"status,omitempty"`
	Title     string    `json:"title,omitempty"`
	Type      string    `json:"type,omitempty"`
	Priority  Priority  `json:"priority,omitempty"` // absent when normal
	Holder    Agent     `json:"holder,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	Workflow  Workflow  `json:"workflow,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind,omitempty"` // of a notice
	Text      string    `json:"text,omitempty"` // of a notice
	Unread    bool      `json:"unread,omitempty"`
}

// GetIn are the arguments of get_handoff.
type GetIn struct {
	// As ho_12; no_7 for a notice
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"`
	View      string `json:"view,omitempty" jsonschema:"enum=brief,enum=full,enum=outcome,enum=events,enum=checkpoint,enum=reference"`
	// context://…
	Reference string `json:"reference,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"minimum=100,maximum=100000"`
	// Bytes to skip
	Offset int `json:"offset,omitempty" jsonschema:"minimum=0"`
	// Wait for a change (≤50)
	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50"`
}

// GetOut is the result of get_handoff.
type GetOut struct {
	HandoffID ID       `json:"handoff_id,omitempty"`
	Status    Status   `json:"status,omitempty"`
	Notice    *Notice  `json:"notice,omitempty" jsonschema_extras:"x-free=true"` // instead of the rest, for an id as no_7
	Brief     string   `json:"brief,omitempty"`
	Omitted   []string `json:"omitted,omitempty"`
	// All that was sent
	Handoff *Handoff `json:"handoff,omitempty" jsonschema_extras:"x-free=true"`
	// Where it stands
	Standing *Standing `json:"standing,omitempty" jsonschema_extras:"x-free=true"`
	// The completion
	Completion *Completion `json:"outcome,omitempty" jsonschema_extras:"x-free=true"`
	// The failure
	Failure *Failure `json:"failure,omitempty" jsonschema_extras:"x-free=true"`
	// Results that arrived after their claim was lost
	Late   []Late  `json:"late,omitempty" jsonschema_extras:"x-free=true"`
	Events []Event `json:"events,omitempty"`
	// State, partial progress and a note
	Checkpoint *Checkpoint `json:"checkpoint,omitempty" jsonschema_extras:"x-free=true"`
	Content    string      `json:"content,omitempty"`
	NextOffset int         `json:"next_offset,omitempty"` // there is more; pass it as offset
	Children   []ID        `json:"children,omitempty"`
}

// Late is a result that arrived after its claim was lost.
type Late struct {
	Completion *Completion `json:"completion,omitempty"`
	Failure    *Failure    `json:"failure,omitempty"`
}

// HistoryIn are the arguments of handoff_history.
type HistoryIn struct {
	// Any of the chain
	HandoffID string `json:"handoff_id,omitempty"`
	Workflow  string `json:"workflow,omitempty"`
	Format    string `json:"format,omitempty" jsonschema:"enum=tree,enum=rows,enum=mermaid"`
	// Default 50
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=500"`
}

// HistoryOut is the result of handoff_history. Output, FinalAgent and Chain are those of a RunResult in
// the kernl handoffs design.
type HistoryOut struct {
	Workflow   Workflow `json:"workflow"`
	Tree       string   `json:"tree,omitempty"`
	Mermaid    string   `json:"mermaid,omitempty"`
	Items      []Step   `json:"items,omitempty"`
	Chain      []Hop    `json:"chain,omitempty"`
	FinalAgent Agent    `json:"final_agent,omitempty"`
	Output     string   `json:"output,omitempty"` // summary of the last completion
	Verified   bool     `json:"verified"`         // against the registry
	More       int      `json:"more,omitempty"`   // handoffs past the limit
}

// Step is one handoff in a history.
type Step struct {
	HandoffID     ID        `json:"handoff_id"`
	Parent        ID        `json:"parent,omitempty"`
	From          Agent     `json:"from"`
	To            Address   `json:"to"`
	Holder        Agent     `json:"holder,omitempty"`
	Title         string    `json:"title"`
	Status        Status    `json:"status"`
	Outcome       Outcome   `json:"outcome,omitempty"`
	SentAt        time.Time `json:"sent_at"`
	Seconds       int       `json:"seconds,omitempty"` // first claim to end
	Depth         int       `json:"depth"`
	Attempt       int       `json:"attempt,omitempty"`
	RetryOf       ID        `json:"retry_of,omitempty"`
	FilesCreated  int       `json:"files_created,omitempty"`
	FilesModified int       `json:"files_modified,omitempty"`
	TestsPassed   int       `json:"tests_passed,omitempty"`
	TestsFailed   int       `json:"tests_failed,omitempty"`
	TestsCreated  int       `json:"tests_created,omitempty"`
	Reason        string    `json:"reason,omitempty"`      // of a failure, rejection or return
	RollbackTo    Address   `json:"rollback_to,omitempty"` // who went on
	Unmet         int       `json:"unmet,omitempty"`
}

// Hop is one passing of work.
type Hop struct {
	From      Agent     `json:"from"`
	To        Address   `json:"to"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
}

// RegisterIn are the arguments of register_agent.
type RegisterIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// Work types; '*' for any
	Accepts     []string `json:"accepts,omitempty" jsonschema:"maxItems=64"`
	Produces    []string `json:"produces,omitempty" jsonschema:"maxItems=64"`
	Skills      []string `json:"skills,omitempty" jsonschema:"maxItems=64"`
	Role        string   `json:"role,omitempty" jsonschema:"maxLength=64"`
	Description string   `json:"description,omitempty" jsonschema:"maxLength=500"`
	MaxMinutes  int      `json:"max_session_minutes,omitempty" jsonschema:"minimum=1,maximum=10080"`
	MaxOpen     int      `json:"max_open,omitempty" jsonschema:"minimum=1,maximum=1000"`
	Away        bool     `json:"away,omitempty"`
}

// RegisterOut is the result of register_agent.
type RegisterOut struct {
	Agent Card `json:"agent"`
}

// AgentsIn are the arguments of list_agents.
type AgentsIn struct {
	Capability string `json:"capability,omitempty"`
	Role       string `json:"role,omitempty"`
	// Skills
	Tags  []string `json:"tags,omitempty"`
	Limit int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100000" jsonschema_extras:"x-hidden=true"` // default: as many as fit
}

// AgentsOut is the result of list_agents.
type AgentsOut struct {
	Agents []Card `json:"agents"` // who is live first, then who was seen last
	More   int    `json:"more,omitempty"`
}

// Card is what is known of an agent.
type Card struct {
	Name        Agent     `json:"name"`
	Registered  bool      `json:"registered,omitempty"`
	Accepts     []string  `json:"accepts,omitempty"`
	Produces    []string  `json:"produces,omitempty"`
	Skills      []string  `json:"skills,omitempty"`
	Role        string    `json:"role,omitempty"`
	Description string    `json:"description,omitempty"`
	MaxMinutes  int       `json:"max_session_minutes,omitempty"`
	MaxOpen     int       `json:"max_open,omitempty"`
	Away        bool      `json:"away,omitempty"`
	Live        bool      `json:"live,omitempty"` // has an open connection
	Seen        time.Time `json:"last_seen,omitzero"`
	Pending     int       `json:"pending,omitempty"`
	Held        int       `json:"held,omitempty"`
	Notices     int       `json:"notices,omitempty"` // unread
}

// Inbox counts the mail of the caller; every result of an agent's call carries it.
type Inbox struct {
	Pending int `json:"pending"`
	Urgent  int `json:"urgent"` // of these, high and critical
	Notices int `json:"notices"`
}

// Notice is mail that is read, not claimed.
type Notice struct {
	ID    NoticeID        `json:"notice_id"`
	To    Agent           `json:"to"`
	From  Agent           `json:"from"`
	Kind  string          `json:"kind"` // completed, failed, question, answer, cancelled, late, message …
	About ID              `json:"handoff_id,omitempty"`
	Title string          `json:"title,omitempty"`
	Text  string          `json:"text,omitempty"`
	At    time.Time       `json:"at"`
	Body  json.RawMessage `json:"body,omitempty" jsonschema_extras:"x-any=true"` // of a message: the whole of what was sent
}
