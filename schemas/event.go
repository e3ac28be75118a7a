package schemas

import "time"

// Event is one line of the audit registry: who did what to which handoff, when, and what became of it.
// Events are numbered from 1 without gaps; each enters the Merkle tree of the registry in that order.
type Event struct {
	N       uint64    `json:"n"`
	At      time.Time `json:"at"`               // when it was observed
	Due     time.Time `json:"due,omitzero"`     // when it was due, for what the clock did
	Asleep  int       `json:"asleep,omitempty"` // seconds the machine slept since the handoff's event before, for what the clock did
	Handoff ID        `json:"handoff_id,omitempty"`
	Agent   Agent     `json:"agent"`
	AgentID string    `json:"agent_id,omitempty"`
	Via     Via       `json:"via"`
	Token   string    `json:"token,omitempty"` // the bearer token that proved who it was
	Trace   string    `json:"trace,omitempty"` // the caller's span, as a W3C traceparent
	Action  string    `json:"action"`
	From    Status    `json:"from,omitempty"`
	To      Status    `json:"to,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	Other   ID        `json:"other,omitempty"` // a handoff that this one made, or was made by

	// Said is a salted SHA-256 of the content that came with the action, which is kept apart; Bytes is its
	// size. Erasing the salt makes erased content unprovable without breaking the registry.
	Said  string `json:"said,omitempty"`
	Bytes int    `json:"bytes,omitempty"`

	State  string `json:"state,omitempty"`  // SHA-256 of the record after the change
	Before uint64 `json:"before,omitempty"` // number of the handoff's event before this one
	Prev   string `json:"prev,omitempty"`   // SHA-256 of that event
}

// Change tells a watcher that an event was added.
type Change struct {
	Event
	Workflow Workflow `json:"workflow,omitempty"`
	Box      Address  `json:"box,omitempty"`    // to whom it was sent
	Sender   Agent    `json:"sender,omitempty"` // who sent it
	Holder   Agent    `json:"holder,omitempty"` // who holds it, or did last
	Title    string   `json:"title,omitempty"`
}
