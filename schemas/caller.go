package schemas

import (
	"slices"
	"strings"
	"time"
)

// Via says how a call came in.
type Via string

// The ways in.
const (
	ViaStdio Via = "stdio"
	ViaHTTP  Via = "http"
	ViaCLI   Via = "cli"
	ViaClock Via = "clock" // the server itself: a lease or deadline ended
)

// Caller is the agent or person behind a call, as the connection proves it.
type Caller struct {
	Agent   Agent  `json:"agent,omitempty"`
	AgentID string `json:"agent_id,omitempty"` // the client session or thread behind the name; over HTTP proved, or empty
	Via     Via    `json:"via"`

	// Conn names a connection that stays open as long as its client runs. Claims made over it are renewed while it is
	// open. It is empty if the server cannot learn that a client left.
	Conn string `json:"conn,omitempty"`

	// Request is the id of this call. Every retry of the call has the same id. If the id of a mutating call was seen
	// before, the mailbox returns the first answer and changes nothing. Ids sort by time, see tools.NewRequestID.
	Request string `json:"request,omitempty"`

	// Since is the time of the first attempt of this call. Every retry has the same. A retry after the end of the owner
	// keeps its place in the queue and its original deadline. Zero means now.
	Since time.Time `json:"since,omitzero"`

	// Until is the end of this call's wait. Every retry has the same. A caller that wants to wait longer than one call
	// allows makes several calls with one Since, and keeps its place in the queue. No wait lasts longer than
	// wait_seconds from now. Zero means wait_seconds after Since.
	Until time.Time `json:"until,omitzero"`

	// Names are the agents this caller may act as; empty means any but the reserved ones. The command
	// line may always act as human.
	Names []Agent `json:"names,omitempty"`

	// Scope bounds the actions of the caller under these names; see [Scope].
	Scope Scope `json:"scope,omitempty"`

	// Token is the name of the bearer token that proved the caller, empty without one. It is no secret.
	Token string `json:"token,omitempty"`

	// Proof says how a person was proved for human on the command line: at the terminal, or by the named setting that
	// replaces one. It is empty for a name without a proof. The event keeps it.
	Proof string `json:"proof,omitempty"`

	// MaxPending is how many handoffs sent with Token may be pending at a time; zero means any number.
	MaxPending int `json:"max_pending,omitempty"`

	// Tree is the working tree next to the caller's process. It is nil if there is none or it does not matter.
	Tree *Tree `json:"tree,omitempty"`

	// Touched holds the changes in this tree, for a claim, a report and a completion.
	Touched *Touched `json:"touched,omitempty"`

	// CheckReport is the report of the caller's process on the checks of a completion, nil if it observed none.
	CheckReport *CheckReport `json:"sight,omitempty"`

	// Rule is the rule that wrote the text of this send, nil for the caller's own text. Only the owner of the store
	// sets it.
	Rule *SentBy `json:"-"`

	// Trace is the caller's span in which this call was made, as a W3C traceparent. It is empty without one.
	Trace string `json:"trace,omitempty"`
}

// Scope bounds the actions of a caller over the network under all its names.
type Scope string

// The scopes. The zero value belongs to callers that are bounded by their names only.
const (
	ScopeRead  Scope = "read"  // reads only; reading marks no notices as read
	ScopeAgent Scope = "agent" // all tools
	ScopeAdmin Scope = "admin" // also as human, where that is among the names
)

// As returns the caller under another name. The error says why the caller may not take the name.
func (c Caller) As(name string) (Caller, error) {
	agent, err := ParseAgent("agent", name)
	if err != nil {
		return c, err
	}
	if !c.mayActAs(agent) {
		return c, c.denyName(agent)
	}
	c.Agent = agent
	return c, nil
}

// InPerson tells whether a person calls. Every caller on the command line may act as human, but actions of persons
// need a proof there. Over the network the token is the proof.
func (c Caller) InPerson() bool { return c.Agent == Human && (c.Via != ViaCLI || c.Proof != "") }

// Trust says how far a connection proves its caller. The zero value is an agent on this machine, under any name.
type Trust string

// The other degrees of trust.
const (
	TrustHuman    Trust = "human"    // a person, at the terminal or by a personal token
	TrustExternal Trust = "external" // a caller with a token, or one that reaches the server over the network
)

// Trust returns the trust in the connection of the call.
func (c Caller) Trust() Trust {
	switch {
	case c.InPerson():
		return TrustHuman
	case c.Via == ViaHTTP:
		return TrustExternal
	}
	return ""
}

// denyName returns the error for a name that the caller may not use. It lists the names that the caller may use.
func (c Caller) denyName(a Agent) error {
	e := Errorf(Denied, "this connection may not act as %s", a).WithField("agent")
	if len(c.Names) == 0 {
		return e.WithHint("Leave it out to act under the name of this connection.")
	}
	known := Texts(c.Names)
	return e.WithKnown(known...).WithHint(
		"Leave it out, or act as %s. The operator of the server gives out tokens for other names.", strings.Join(known, " or "))
}

func (c Caller) mayActAs(a Agent) bool {
	switch {
	case a == System:
		return false
	case a == Human:
		return c.Via == ViaCLI || c.Scope == ScopeAdmin && slices.Contains(c.Names, a)
	case len(c.Names) == 0:
		return true
	}
	return slices.Contains(c.Names, a)
}
