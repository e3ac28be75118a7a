package schemas

import "time"

// OverviewIn holds the arguments of the administrative tool workspace_overview.
type OverviewIn struct {
	// Rows of each part, default 20
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// OverviewOut is the present state of a workspace for the person in charge: handoffs that wait for this person, work
// in progress, work that does not go on by itself and why, and counts. The mailbox makes it of the state of handoffs.
// Only messages to the person leave it when they are read or answered.
type OverviewOut struct {
	At        time.Time `json:"at"`
	NeedsYou  Part      `json:"needs_you"` // handoffs that wait for a person, first those that stand still for it
	Running   Part      `json:"running"`   // handoffs of live holders, the longest at work first
	Stuck     Part      `json:"stuck"`     // work that does not go on by itself
	Here      []Load    `json:"here"`      // live agents, as many as a part has rows; Counts has their number
	Mailboxes []Load    `json:"waits"`     // mailboxes with claimable handoffs, the fullest first, as many
	Counts    Counts    `json:"counts"`
	Warnings  []string  `json:"warnings,omitempty"` // time is behind
}

// Load is the number of handoffs that an agent holds, or that can be claimed from a mailbox.
type Load struct {
	Name  Address `json:"name"`
	Count int     `json:"count"`
}

// Part is one part of an overview.
type Part struct {
	Items   []Concern `json:"items"`
	Total   int       `json:"total"`
	AtLeast bool      `json:"at_least,omitempty"` // the total is a minimum: counting ended early
}

// Concern is one row of an overview: a handoff, or for the kind no_takers a mailbox and the first handoff in it. A
// message has the number of its notice, and the handoff that it is about, if any. Reason is a sentence that says why
// the row is here, or the text of a message. Next are the calls by which a person goes on with it, the likeliest
// first.
//
// A handoff may need a person for the same kind again, such as for a second question. Then Event differs: it is the
// number of the event that asked, if the state of the handoff alone does not tell.
type Concern struct {
	Kind      ConcernKind `json:"kind"`
	NoticeID  NoticeID    `json:"notice_id,omitempty"`
	HandoffID ID          `json:"handoff_id,omitempty"`
	Event     uint64      `json:"event,omitempty"`
	Title     string      `json:"title"`
	Status    Status      `json:"status,omitempty"`
	Priority  Priority    `json:"priority,omitempty"` // absent when normal
	Workflow  Workflow    `json:"workflow,omitempty"`
	From      Agent       `json:"from"`
	Rule      string      `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	To        Address     `json:"to"`
	Holder    Agent       `json:"holder,omitempty"`            // the agent that holds it, or held it last
	Since     time.Time   `json:"since"`                       // time of the send, the claim, the question or the end
	LastSign  *time.Time  `json:"last_sign_of_life,omitempty"` // of its holder
	LeaseEnds *time.Time  `json:"lease_ends,omitempty"`
	Percent   int         `json:"percent,omitempty"`
	BlockedBy ID          `json:"blocked_by,omitempty"` // the handoff that was not done well
	Count     int         `json:"count,omitempty"`      // number of waiting handoffs in the mailbox, for no_takers
	Reason    string      `json:"reason,omitempty"`
	Report    string      `json:"last_report,omitempty"` // of its holder
	Next      []Advice    `json:"next,omitempty"`
}

// ConcernKind says why a handoff is in an overview.
type ConcernKind string

// The needs for a person, in this order of attention.
const (
	ConcernQuestion   ConcernKind = "question"   // its holder asks the person, or for a permission
	ConcernApproval   ConcernKind = "approval"   // it waits for approval
	ConcernLeave      ConcernKind = "leave"      // the rules of its workflow wait for a person's leave
	ConcernFailure    ConcernKind = "failure"    // it ended badly, and no agent goes on with it
	ConcernEscalation ConcernKind = "escalation" // it is work for the person: to decide about a failure
	ConcernWork       ConcernKind = "work"       // it is other work for the person
	ConcernMessage    ConcernKind = "message"    // a message that the person has not read
	ConcernYours      ConcernKind = "yours"      // the person claimed it
)

// The kinds of running work and of stuck work.
const (
	ConcernRunning    ConcernKind = "running"
	ConcernDead       ConcernKind = "dead"       // the connection of its holder is gone, its lease still runs
	ConcernBlocked    ConcernKind = "blocked"    // it waits for a handoff that ended and was not done well
	ConcernUnanswered ConcernKind = "unanswered" // its holder asked an agent that is not here
	ConcernLapsed     ConcernKind = "lapsed"     // its lease ended, and no agent has claimed it since
	ConcernSilent     ConcernKind = "silent"     // its holder has long been silent
	ConcernNoTakers   ConcernKind = "no_takers"  // no agent that may claim from its mailbox is here
)

// Counts holds totals of a workspace. Waiting and blocked handoffs are counted up to a thousand.
type Counts struct {
	Claimable int    `json:"claimable"` // pending, and ready for a claim
	Held      int    `json:"held"`      // accepted, working or waiting for an answer
	Waiting   int    `json:"waiting"`   // of these, for an answer
	Blocked   int    `json:"blocked"`   // pending, and waits for other handoffs
	Sent      int    `json:"sent"`      // all handoffs ever sent
	Events    uint64 `json:"events"`
	Agents    int    `json:"agents"` // live agents
}
