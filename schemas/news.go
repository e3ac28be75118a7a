package schemas

import "time"

// SessionEvent is what happens in a session when it asks for its news.
type SessionEvent string

// The events of a session. Items that are delivered at one are marked, so that each is delivered once in a session;
// OnLook delivers without marks.
const (
	OnStart       SessionEvent = "start"   // it begins, or goes on without what it knew: all that matters
	OnMail        SessionEvent = "mail"    // it is spoken to, or works: new mail
	OnStop        SessionEvent = "stop"    // it wants to stop: of what it holds, that of which it was not reminded yet
	OnEnd         SessionEvent = "end"     // it ends: a note is left with what it holds
	OnCompact     SessionEvent = "compact" // it is about to forget: the same
	OnWake        SessionEvent = "wake"    // it sleeps: the handoffs for which it is to wake up
	OnLook        SessionEvent = "look"    // somebody looks: as at the start
	OnUndelivered SessionEvent = "unheard" // a delivery did not reach it, and is to be delivered again
)

// SessionEvents lists them.
var SessionEvents = []SessionEvent{OnStart, OnMail, OnStop, OnEnd, OnCompact, OnWake, OnLook, OnUndelivered}

// NewsIn are the arguments of the administrative tool session_news, which the hooks of a client call. The name under
// which the session acts is that of the caller; without one it is found as session_name does.
type NewsIn struct {
	On        SessionEvent `json:"on"`
	Client    Agent        `json:"client,omitempty"`                             // see ConnIn
	Session   string       `json:"session,omitempty" jsonschema:"maxLength=128"` // deliveries are remembered for it
	Process   string       `json:"process,omitempty" jsonschema:"maxLength=64"`  // see ConnIn
	Ancestors []int        `json:"above,omitempty" jsonschema:"maxItems=16"`     // see SessionIn

	// Follows tells that servers which the client starts know Session or Process: at the start the name is kept for
	// them, since a hook may run before them.
	Follows bool `json:"follows,omitempty"`

	// Subagents are the names of a subagent that wants to stop: then only what was claimed under them counts.
	Subagents []Agent `json:"subagents,omitempty" jsonschema:"maxItems=4"`

	// AtWork are the names of subagents that go on while the session stops: what was claimed under them does not
	// count.
	AtWork []Agent `json:"at_work,omitempty" jsonschema:"maxItems=16"`

	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50"` // on wake

	Undelivered *Marks `json:"unheard,omitempty"` // what was delivered and did not reach the session
}

// Marks are the items that a delivery marked as delivered. A caller whose delivery did not reach the session gives
// them back with OnUndelivered, and they are delivered again.
type Marks struct {
	Handoffs []ID       `json:"handoffs,omitempty"`
	Notices  []NoticeID `json:"notices,omitempty"`
	Reminded []ID       `json:"reminded,omitempty"` // because of which the session was kept from stopping
}

// NewsOut is what is delivered to a session: who it is and who else is here, what it holds, and its mail. Lists are
// short, and the fields named more count the rest.
type NewsOut struct {
	Agent Agent   `json:"agent"`          // under which the session acts
	Here  []Agent `json:"here,omitempty"` // who else has an open connection, at most eight
	More  int     `json:"more_here,omitempty"`

	Holding     []Held `json:"holding,omitempty"` // at most five
	MoreHolding int    `json:"more_holding,omitempty"`
	Remind      bool   `json:"remind,omitempty"` // it is to go on with what it holds instead of stopping

	Mail    Inbox  `json:"mail"`          // counts, at the start
	New     []Item `json:"new,omitempty"` // best first, at most five, handoffs before notices
	MoreNew int    `json:"more_new,omitempty"`

	NeedYou int `json:"need_you,omitempty"` // of a person: how many handoffs wait for it, see OverviewOut

	Over string `json:"over,omitempty"` // why the session is not to be woken any more

	Marked *Marks `json:"marked,omitempty"` // nil: nothing was
}

// Held is a handoff that a session holds.
type Held struct {
	HandoffID ID         `json:"handoff_id"`
	Title     string     `json:"title"`
	From      Agent      `json:"from"`
	Rule      string     `json:"rule,omitempty"` // of a file that sent it, and from is system
	As        Agent      `json:"as,omitempty"`   // who holds it, if that is not the session's own name
	Status    Status     `json:"status"`
	Percent   int        `json:"percent,omitempty"`
	LeaseEnds *time.Time `json:"lease_ends,omitempty"`
}
