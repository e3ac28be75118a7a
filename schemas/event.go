package schemas

import "time"

// Event is one line of the audit registry: the actor, the action, the handoff, the time and the new state. The mailbox
// writes it in the same transaction as the change, and never changes it again. Events are numbered from 1 without gaps,
// and become leaves of the registry's Merkle tree in this order. Each event also holds the number and the hash of the
// previous event of the same handoff.
//
// The registry keeps the content of the action separately from the event. The event has only a salted SHA-256 of the
// content. If the content is erased together with its salt, the hash no longer proves what the content was, and the
// registry can still be verified. All hashes are base64.
type Event struct {
	N       uint64    `json:"n"`
	At      time.Time `json:"at"`               // when it was observed
	Due     time.Time `json:"due,omitzero"`     // due time, for events of the clock
	Asleep  int       `json:"asleep,omitempty"` // of the clock: seconds asleep since the event before
	Handoff ID        `json:"handoff_id,omitempty"`
	Agent   Agent     `json:"agent"`
	AgentID string    `json:"agent_id,omitempty"`
	Via     Via       `json:"via"`
	Token   string    `json:"token,omitempty"` // the bearer token that proved the caller
	Proof   string    `json:"proof,omitempty"` // proof that a person called, see [Caller]
	Trace   string    `json:"trace,omitempty"` // the caller's span, as a W3C traceparent
	Action  string    `json:"action"`
	From    Status    `json:"from,omitempty"`
	To      Status    `json:"to,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	Other   ID        `json:"other,omitempty"` // a handoff that this one made, or that made this one
	For     Agent     `json:"for,omitempty"`   // the agent that alone may claim it for a time
	Needs   string    `json:"needs,omitempty"` // a decision that only a person gives, from now on: approval or permission

	Said  string `json:"said,omitempty"`  // salted SHA-256 of the content that came with the action
	Bytes int    `json:"bytes,omitempty"` // size of that content

	State  string `json:"state,omitempty"`  // SHA-256 of the record after the change
	Before uint64 `json:"before,omitempty"` // number of the handoff's event before this one
	Prev   string `json:"prev,omitempty"`   // SHA-256 of that event
}

// The decisions of a person that an event may need.
const (
	NeedsApproval   = "approval"   // to let the handoff go on, or to refuse it
	NeedsPermission = "permission" // that its holder asks for
)

// Redacted is the action of an event that records the replacement of content of earlier events. The content of this
// event is a [Redaction].
const Redacted = "redacted"

// Redaction lists the events whose content was replaced. For each event it has the digest of the new content, without a
// salt.
type Redaction struct {
	Field  string            `json:"field,omitempty"`       // the texts concerned; all if empty
	Before time.Time         `json:"ended_before,omitzero"` // of a retention: it removes texts of handoffs that ended before
	Events map[uint64]string `json:"redacted"`
}

// RegistryChange tells a watcher (a caller that follows the registry) that an event was added. It also has facts of the
// handoff's record at the time of reading, so that a watcher can filter changes without reading the handoff.
type RegistryChange struct {
	Event
	Workflow Workflow `json:"workflow,omitempty"`
	Parent   ID       `json:"parent,omitempty"`
	Depth    int      `json:"depth,omitempty"`  // a root has 1
	Box      Address  `json:"box,omitempty"`    // its address
	Sender   Agent    `json:"sender,omitempty"` // the agent that sent it
	Holder   Agent    `json:"holder,omitempty"` // the agent that holds it, or held it last
	Title    string   `json:"title,omitempty"`
	Text     string   `json:"text,omitempty"`      // the text of the action, in words
	Notice   NoticeID `json:"notice_id,omitempty"` // of a message
}
