package schemas

import "time"

// OverviewIn are the arguments of the administrative tool workspace_overview.
type OverviewIn struct {
	// Rows of each part, default 20
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// OverviewOut is what is going on in a workspace, for the person who looks after it: what waits for that person, what
// agents are at work on, what does not go on by itself and why, and how much there is. It is made of the state of
// handoffs. Only a message to the person is in it until it was read or answered.
type OverviewOut struct {
	At        time.Time `json:"at"`
	NeedsYou  Part      `json:"needs_you"` // what waits for a person, what stands still for it first
	Running   Part      `json:"running"`   // what is held by an agent that is heard of, the longest at work first
	Stuck     Part      `json:"stuck"`     // what does not go on by itself
	Here      []Load    `json:"here"`      // who is here, as many as a part has rows; Counts has their number
	Mailboxes []Load    `json:"waits"`     // where something can be claimed, the fullest mailboxes first, as many
	Counts    Counts    `json:"counts"`
	Warnings  []string  `json:"warnings,omitempty"` // time is behind
}

// Load is how many handoffs an agent holds, or how many can be claimed from a mailbox.
type Load struct {
	Name  Address `json:"name"`
	Count int     `json:"count"`
}

// Part is one part of an overview.
type Part struct {
	Items   []Concern `json:"items"`
	Total   int       `json:"total"`
	AtLeast bool      `json:"at_least,omitempty"` // the total is not all: looking ended early
}

// Concern is one row of an overview: a handoff, or for the kind no_takers a mailbox and the first handoff in it. A
// message has the number of its notice, and the handoff that it is about, if any. Reason is a sentence: why it is here;
// of a message its text. Next are the calls by which a person goes on with it, the likeliest first.
//
// A handoff may need a person for the same kind again, as for a second question. Then Event differs: it is the number
// of the event that asked, where the state of the handoff alone does not tell.
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
	Rule      string      `json:"rule,omitempty"` // of a file that sent it, and from is system
	To        Address     `json:"to"`
	Holder    Agent       `json:"holder,omitempty"`            // who holds it, or held it last
	Since     time.Time   `json:"since"`                       // when it was sent, claimed, asked about or ended
	LastSign  *time.Time  `json:"last_sign_of_life,omitempty"` // of its holder
	LeaseEnds *time.Time  `json:"lease_ends,omitempty"`
	Percent   int         `json:"percent,omitempty"`
	BlockedBy ID          `json:"blocked_by,omitempty"` // the handoff that was not done well
	Count     int         `json:"count,omitempty"`      // how many wait in the mailbox, for no_takers
	Reason    string      `json:"reason,omitempty"`
	Report    string      `json:"last_report,omitempty"` // of its holder
	Next      []Advice    `json:"next,omitempty"`
}

// ConcernKind says why a handoff is in an overview.
type ConcernKind string

// What needs a person, in this order of attention.
const (
	ConcernQuestion   ConcernKind = "question"   // its holder asks the person, or for a permission
	ConcernApproval   ConcernKind = "approval"   // it waits for approval
	ConcernLeave      ConcernKind = "leave"      // the rules of its workflow wait for a person's leave
	ConcernFailure    ConcernKind = "failure"    // it ended badly, and nobody goes on with it
	ConcernEscalation ConcernKind = "escalation" // it is work for the person: to decide about a failure
	ConcernWork       ConcernKind = "work"       // it is other work for the person
	ConcernMessage    ConcernKind = "message"    // a message that the person has not read
	ConcernYours      ConcernKind = "yours"      // the person claimed it
)

// What agents are at work on, and what is stuck.
const (
	ConcernRunning    ConcernKind = "running"
	ConcernDead       ConcernKind = "dead"       // the connection of its holder is gone, its lease still runs
	ConcernBlocked    ConcernKind = "blocked"    // it waits for a handoff that ended and was not done well
	ConcernUnanswered ConcernKind = "unanswered" // its holder asked an agent that is not here
	ConcernLapsed     ConcernKind = "lapsed"     // its lease ended, and nobody has claimed it since
	ConcernSilent     ConcernKind = "silent"     // its holder was not heard of for long
	ConcernNoTakers   ConcernKind = "no_takers"  // nobody who may claim from its mailbox is here
)

// Counts is how much there is in a workspace. At most a thousand are counted of what waits and of what is blocked.
type Counts struct {
	Claimable int    `json:"claimable"` // pending, and nothing stands in the way
	Held      int    `json:"held"`      // accepted, working or waiting for an answer
	Waiting   int    `json:"waiting"`   // of these, for an answer
	Blocked   int    `json:"blocked"`   // pending, and waits for other handoffs
	Sent      int    `json:"sent"`      // all that there ever were
	Events    uint64 `json:"events"`
	Agents    int    `json:"agents"` // that are here
}
