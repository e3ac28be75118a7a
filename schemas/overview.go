package schemas

import "time"

// OverviewIn holds the arguments of the administrative tool workspace_overview.
type OverviewIn struct {
	// Rows of each part, default 20
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// OverviewOut shows the person in charge of a workspace its present state: handoffs that wait for this person, work in
// progress, work that is stuck and why, and counts. The mailbox computes the overview from the states of the handoffs,
// so a row disappears only when its handoff changes. The exception is a message to the person: its row disappears when
// the message is read or answered.
type OverviewOut struct {
	At        time.Time       `json:"at"`
	NeedsYou  OverviewPart    `json:"needs_you"` // handoffs that wait for a person, first those that stand still for it
	Running   OverviewPart    `json:"running"`   // handoffs of live holders, the longest at work first
	Stuck     OverviewPart    `json:"stuck"`     // work that does not go on by itself
	Due       OverviewPart    `json:"due"`       // changes that time brings, the next first: deadlines, ends of leases, delays
	Here      []HandoffCount  `json:"here"`      // live agents and holders of running work, as many as a part has rows; Counts has their number
	Mailboxes []HandoffCount  `json:"waits"`     // mailboxes with claimable handoffs, the most urgent first, as many
	Counts    WorkspaceTotals `json:"counts"`
	Warnings  []string        `json:"warnings,omitempty"` // time is behind
}

// HandoffCount is the number of handoffs that an agent holds, or that can be claimed from a mailbox.
type HandoffCount struct {
	Name     Address   `json:"name"`
	Count    int       `json:"count"`
	Urgent   int       `json:"urgent,omitempty"`   // of these, high and critical
	Since    time.Time `json:"since,omitzero"`     // when the first to claim was sent
	Critical []string  `json:"critical,omitempty"` // ids and titles of the critical ones
	Note     string    `json:"note,omitempty"`     // tells which client to open, so that it takes the work
}

// OverviewPart is one part of an overview.
type OverviewPart struct {
	Items   []OverviewEntry `json:"items"`
	Total   int             `json:"total"`
	AtLeast bool            `json:"at_least,omitempty"` // the total is a minimum: counting ended early
}

// OverviewEntry is one line of an overview, about one handoff. An entry of the kind "message" has the id of the notice,
// and perhaps a handoff that the message is about. Reason is the text of the message, or a sentence that says why the
// entry is there. Next lists the calls with which a person can act, the likeliest first.
//
// The same handoff may need a person several times for the same kind, for example for a second question. Event tells
// these entries apart. It is the number of the event that made the handoff need the person.
type OverviewEntry struct {
	Kind      OverviewEntryKind `json:"kind"`
	NoticeID  NoticeID          `json:"notice_id,omitempty"`
	HandoffID ID                `json:"handoff_id,omitempty"`
	Event     uint64            `json:"event,omitempty"`
	Title     string            `json:"title"`
	Status    Status            `json:"status,omitempty"`
	Priority  Priority          `json:"priority,omitempty"` // absent when normal
	Workflow  Workflow          `json:"workflow,omitempty"`
	From      Agent             `json:"from"`
	Rule      string            `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	To        Address           `json:"to"`
	Holder    Agent             `json:"holder,omitempty"`            // the agent that holds it, or held it last
	Since     time.Time         `json:"since"`                       // time of the send, the claim, the question or the end
	LastSign  *time.Time        `json:"last_sign_of_life,omitempty"` // of its holder
	LeaseEnds *time.Time        `json:"lease_ends,omitempty"`
	Due       time.Time         `json:"due,omitzero"` // time of a change by the clock, which Reason describes
	Percent   int               `json:"percent,omitempty"`
	BlockedBy ID                `json:"blocked_by,omitempty"` // the handoff that was not done well
	Reason    string            `json:"reason,omitempty"`
	Report    string            `json:"last_report,omitempty"` // of its holder
	Next      []Advice          `json:"next,omitempty"`
}

// OverviewEntryKind says why a handoff is in an overview.
type OverviewEntryKind string

// The kinds of rows that need a person, the most urgent first.
const (
	ConcernQuestion   OverviewEntryKind = "question"   // its holder asks the person, or for a permission
	ConcernApproval   OverviewEntryKind = "approval"   // it waits for approval
	ConcernLeave      OverviewEntryKind = "leave"      // the rules of its workflow wait for a person's leave
	ConcernFailure    OverviewEntryKind = "failure"    // it ended badly, and no agent goes on with it
	ConcernEscalation OverviewEntryKind = "escalation" // it is work for the person: to decide about a failure
	ConcernWork       OverviewEntryKind = "work"       // it is other work for the person
	ConcernMessage    OverviewEntryKind = "message"    // a message that the person has not read
	ConcernYours      OverviewEntryKind = "yours"      // the person claimed it
)

// The kinds of running work and of stuck work.
const (
	ConcernRunning    OverviewEntryKind = "running"
	ConcernDead       OverviewEntryKind = "dead"       // the connection of its holder is gone, its lease still runs
	ConcernBlocked    OverviewEntryKind = "blocked"    // it waits for a handoff that ended and was not done well
	ConcernUnanswered OverviewEntryKind = "unanswered" // its holder asked an agent that is not here
	ConcernLapsed     OverviewEntryKind = "lapsed"     // its lease ended, and no agent has claimed it since
	ConcernSilent     OverviewEntryKind = "silent"     // its holder has long been silent
	ConcernNoTakers   OverviewEntryKind = "no_takers"  // no agent that may claim from its mailbox is here
)

// ConcernDue is the kind of the part Due.
const ConcernDue OverviewEntryKind = "due"

// WorkspaceTotals holds totals of a workspace. The mailbox stops counting waiting and blocked handoffs at a thousand.
type WorkspaceTotals struct {
	Claimable int    `json:"claimable"` // pending, and ready for a claim
	Mailboxes int    `json:"mailboxes"` // with claimable handoffs
	Held      int    `json:"held"`      // accepted, working or waiting for an answer
	Waiting   int    `json:"waiting"`   // of these, for an answer
	Blocked   int    `json:"blocked"`   // pending, and waits for other handoffs
	Sent      int    `json:"sent"`      // all handoffs ever sent
	Events    uint64 `json:"events"`
	Agents    int    `json:"agents"` // live agents and holders of running work
}
