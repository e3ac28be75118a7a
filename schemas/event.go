package schemas

import "time"

// Event is one line of the audit registry: who did what to which handoff, when, and what became of it. The mailbox
// writes one in the transaction of the change that it tells of, and never changes it again. Events are numbered from
// 1 without gaps, and enter the Merkle tree of the registry in that order. Each is linked to the event of its
// handoff before it.
//
// The content that came with the action is kept apart, and the event has a salted SHA-256 of it. Erasing the salt
// makes erased content unprovable without breaking the registry. All hashes are base64.
type Event struct {
	N       uint64    `json:"n"`
	At      time.Time `json:"at"`               // when it was observed
	Due     time.Time `json:"due,omitzero"`     // when it was due, for what the clock did
	Asleep  int       `json:"asleep,omitempty"` // of the clock: seconds asleep since the event before
	Handoff ID        `json:"handoff_id,omitempty"`
	Agent   Agent     `json:"agent"`
	AgentID string    `json:"agent_id,omitempty"`
	Via     Via       `json:"via"`
	Token   string    `json:"token,omitempty"` // the bearer token that proved who it was
	Proof   string    `json:"proof,omitempty"` // that a person called, see [Caller]
	Trace   string    `json:"trace,omitempty"` // the caller's span, as a W3C traceparent
	Action  string    `json:"action"`
	From    Status    `json:"from,omitempty"`
	To      Status    `json:"to,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	Other   ID        `json:"other,omitempty"` // a handoff that this one made, or was made by
	For     Agent     `json:"for,omitempty"`   // who alone may claim it for a time, of those who may
	Needs   string    `json:"needs,omitempty"` // what only a person gives, from now on: approval or permission

	Said  string `json:"said,omitempty"`  // salted SHA-256 of the content that came with the action
	Bytes int    `json:"bytes,omitempty"` // size of that content

	State  string `json:"state,omitempty"`  // SHA-256 of the record after the change
	Before uint64 `json:"before,omitempty"` // number of the handoff's event before this one
	Prev   string `json:"prev,omitempty"`   // SHA-256 of that event
}

// What an event may need of a person.
const (
	NeedsApproval   = "approval"   // to let the handoff go on, or to refuse it
	NeedsPermission = "permission" // for which its holder asks
)

// Redacted is the action of an event that replaced content of earlier events. Its own content is a [Redaction].
const Redacted = "redacted"

// Redaction says which content was replaced: for each event the digest of what stands there now, without a salt.
type Redaction struct {
	Field  string            `json:"field,omitempty"`       // which texts; all of them if it is empty
	Before time.Time         `json:"ended_before,omitzero"` // of a retention, which lets go of the texts of what ended before
	Events map[uint64]string `json:"redacted"`
}

// Change tells a watcher that an event was added, together with what the handoff's record said when it was read:
// watchers filter by it and need not read the handoff.
type Change struct {
	Event
	Workflow Workflow `json:"workflow,omitempty"`
	Box      Address  `json:"box,omitempty"`    // to whom it was sent
	Sender   Agent    `json:"sender,omitempty"` // who sent it
	Holder   Agent    `json:"holder,omitempty"` // who holds it, or did last
	Title    string   `json:"title,omitempty"`
	Text     string   `json:"text,omitempty"`      // what was said with it, in words
	Notice   NoticeID `json:"notice_id,omitempty"` // of a message
}
