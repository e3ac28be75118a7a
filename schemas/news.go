package schemas

import "time"

// SessionEvent is a moment in a client session at which the session asks the mailbox for news: handoffs, notices and
// answers.
type SessionEvent string

// The events of a client session. If the mailbox delivers an item at an event, it marks the item as delivered, so that
// the session gets each item once. The exception is OnLook, for which the mailbox marks nothing.
const (
	OnStart       SessionEvent = "start"   // it begins, or goes on without its memory: all important items
	OnMail        SessionEvent = "mail"    // it gets a prompt, or works: new mail
	OnStop        SessionEvent = "stop"    // it wants to stop: held handoffs without a reminder so far
	OnEnd         SessionEvent = "end"     // it ends: a note stays with its handoffs
	OnCompact     SessionEvent = "compact" // it is about to forget: the same
	OnWake        SessionEvent = "wake"    // it sleeps: the handoffs that wake it
	OnLook        SessionEvent = "look"    // a person looks: as at the start
	OnUndelivered SessionEvent = "unheard" // a delivery did not reach it: deliver it again
)

// SessionEvents lists them.
var SessionEvents = []SessionEvent{OnStart, OnMail, OnStop, OnEnd, OnCompact, OnWake, OnLook, OnUndelivered}

// NewsIn holds the arguments of the administrative tool session_news, which the hooks of a client call. The news are
// for the agent name of the caller. If the caller has no name, the mailbox finds the name of the session in the same
// way as session_name.
type NewsIn struct {
	On        SessionEvent `json:"on"`
	Client    Agent        `json:"client,omitempty"`                             // see ConnIn
	Session   string       `json:"session,omitempty" jsonschema:"maxLength=128"` // the mailbox remembers deliveries for it
	Process   string       `json:"process,omitempty" jsonschema:"maxLength=64"`  // see ConnIn
	Ancestors []int        `json:"above,omitempty" jsonschema:"maxItems=16"`     // see SessionIn

	// Follows tells that the servers which the client starts will give the same Session or Process. A hook may run
	// before such a server. Then, at the event start, the mailbox chooses the session's name and reserves it for that
	// server.
	Follows bool `json:"follows,omitempty"`

	// Subagents are the agent names of one subagent that wants to stop. If they are set, the news are only about
	// handoffs that were claimed under these names.
	Subagents []Agent `json:"subagents,omitempty" jsonschema:"maxItems=4"`

	// AtWork are the names of subagents that go on working while the session itself stops. The news leave out handoffs
	// that were claimed under these names.
	AtWork []Agent `json:"at_work,omitempty" jsonschema:"maxItems=16"`

	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50"` // on wake

	Undelivered *Marks `json:"unheard,omitempty"` // items of a delivery that did not reach the session
}

// Marks lists the items that the mailbox marked as delivered with one delivery. If the delivery did not reach the
// session, the caller sends this list back with the event OnUndelivered, and the mailbox delivers the items again.
type Marks struct {
	Handoffs []ID       `json:"handoffs,omitempty"`
	Notices  []NoticeID `json:"notices,omitempty"`
	Reminded []ID       `json:"reminded,omitempty"` // handoffs that kept the session from stopping
}

// NewsOut is a delivery to a session: the session's agent name, the other live agents, the handoffs that the session
// holds, and its new handoffs and notices. The lists are short. The fields whose names begin with More count the items
// that the lists leave out.
type NewsOut struct {
	Agent Agent   `json:"agent"`          // of the session
	Here  []Agent `json:"here,omitempty"` // other agents with an open connection, at most eight
	More  int     `json:"more_here,omitempty"`

	Holding     []HeldHandoff `json:"holding,omitempty"` // at most five
	MoreHolding int           `json:"more_holding,omitempty"`
	Remind      bool          `json:"remind,omitempty"` // it should go on with its handoffs instead of stopping

	Mail    InboxCounts `json:"mail"`          // counts, at the start
	New     []ListItem  `json:"new,omitempty"` // best first, at most five, handoffs before notices
	MoreNew int         `json:"more_new,omitempty"`

	NeedYou int `json:"need_you,omitempty"` // of a person: the number of handoffs that wait for it, see OverviewOut

	Over string `json:"over,omitempty"` // why nothing should wake the session any more

	Marked *Marks `json:"marked,omitempty"` // nil: no item was marked
}

// HeldHandoff is a handoff that a session holds.
type HeldHandoff struct {
	HandoffID ID         `json:"handoff_id"`
	Title     string     `json:"title"`
	From      Agent      `json:"from"`
	Rule      string     `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	As        Agent      `json:"as,omitempty"`   // the agent that holds it, if it is not the session's own name
	Status    Status     `json:"status"`
	Percent   int        `json:"percent,omitempty"`
	LeaseEnds *time.Time `json:"lease_ends,omitempty"`
}
