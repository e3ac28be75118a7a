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
	ViaClock Via = "clock" // nobody called: a lease or deadline ended
)

// Caller is who calls, as the connection proves it.
type Caller struct {
	Agent   Agent  `json:"agent,omitempty"`
	AgentID string `json:"agent_id,omitempty"` // the client session or thread behind the name; over HTTP proved, or empty
	Via     Via    `json:"via"`

	// Conn names a connection that stays open while its client is there. Claims made over it are renewed
	// for as long as it is open. Empty when nothing tells that a client left.
	Conn string `json:"conn,omitempty"`

	// Request is the id of this call, the same on every retry of it. A mutating call whose id was seen is
	// answered as the first time and takes effect once. Ids sort by time, see tools.NewRequestID.
	Request string `json:"request,omitempty"`

	// Since is when this call was first made, the same on every retry of it: a wait that is taken up again,
	// because the process that served it has ended, keeps its place in line and ends when it would have.
	// Zero means now.
	Since time.Time `json:"since,omitzero"`

	// Until is when the wait of this call ends, the same on every retry of it. Who waits longer than one call
	// may makes several with one Since and keeps its place in line. No wait is longer than wait_seconds from
	// now. Zero means wait_seconds after Since.
	Until time.Time `json:"until,omitzero"`

	// Names are the agents this caller may act as; empty means any but the reserved ones. The command
	// line may always act as human.
	Names []Agent `json:"names,omitempty"`

	// Scope is what the caller may do under these names; see [Scope].
	Scope Scope `json:"scope,omitempty"`

	// Token names the bearer token that proved who calls, empty without one. It is no secret.
	Token string `json:"token,omitempty"`

	// Proof is how it was proved that a person is there, for human on the command line: at the terminal, or which
	// setting makes do without one. Empty for a name that was only said. It is kept with the event.
	Proof string `json:"proof,omitempty"`

	// MaxPending is how many handoffs sent with Token may be pending at a time; zero means any number.
	MaxPending int `json:"max_pending,omitempty"`

	// Tree is the working tree beside the process of the caller, nil where there is none or it does not matter.
	Tree *Tree `json:"tree,omitempty"`

	// Touched is what that tree changes, of a claim, a report and a completion.
	Touched *Touched `json:"touched,omitempty"`

	// CheckReport is what that process saw of the checks of a completion, nil where it did not look.
	CheckReport *CheckReport `json:"sight,omitempty"`

	// Rule is in whose words the caller sends, nil for its own. Only the owner of the store sets it.
	Rule *SentBy `json:"-"`

	// Trace is the span of the caller in which this call was made, as a W3C traceparent; empty for none.
	Trace string `json:"trace,omitempty"`
}

// Scope bounds what a caller over the network may do, whatever its names.
type Scope string

// The scopes. The zero value is that of callers whom nothing bounds but their names.
const (
	ScopeRead  Scope = "read"  // reads, and is not taken to have read its notices
	ScopeAgent Scope = "agent" // all tools
	ScopeAdmin Scope = "admin" // also as human, where that is among the names
)

// As gives the caller under another name, or says why it may not take it.
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

// InPerson tells whether a person calls. On the command line anybody may act as human; what only a person may do needs a
// proof there. Over the network the token is one.
func (c Caller) InPerson() bool { return c.Agent == Human && (c.Via != ViaCLI || c.Proof != "") }

// Trust says what a connection proves of whom it is. The zero value is an agent on this machine, whatever name it says.
type Trust string

// What may be proved besides.
const (
	TrustHuman    Trust = "human"    // a person, at the terminal or by a token that is one's own
	TrustExternal Trust = "external" // whoever has a token, or reaches the server
)

// Trust is that of the connection over which the call came.
func (c Caller) Trust() Trust {
	switch {
	case c.InPerson():
		return TrustHuman
	case c.Via == ViaHTTP:
		return TrustExternal
	}
	return ""
}

// denyName refuses a name and tells which there are.
func (c Caller) denyName(a Agent) error {
	e := Errorf(Denied, "this connection may not act as %s", a).WithField("agent")
	if len(c.Names) == 0 {
		return e.WithHint("Leave it out to act under the name of this connection.")
	}
	known := Texts(c.Names)
	return e.WithKnown(known...).WithHint(
		"Leave it out, or act as %s. Whoever runs the server gives out tokens for other names.", strings.Join(known, " or "))
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
