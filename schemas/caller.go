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

	// Borrowed says that the call named Agent, and that the connection or the environment of the caller has another
	// name or none.
	Borrowed bool `json:"borrowed,omitempty"`

	// Conn names a connection that stays open as long as its client runs. While the connection is open, claims made
	// over it are renewed. Conn is empty if the server cannot learn that a client left.
	Conn string `json:"conn,omitempty"`

	// Request is the id of this call. Every retry of the call has the same id. If the id of a mutating call was seen
	// before, the mailbox returns the first answer and changes nothing. Ids sort by time, see tools.NewRequestID.
	Request string `json:"request,omitempty"`

	// Since is the time of the first attempt of this call. Every retry of the call carries the same time. So a call
	// that is repeated because the owner process ended keeps its place in the queue and its original deadline. Zero
	// means now.
	Since time.Time `json:"since,omitzero"`

	// Until is the time at which the wait of this call ends. Every retry of the call carries the same time. No call
	// waits longer than wait_seconds from now, even if Until is later. A caller that wants to wait longer makes several
	// calls with the same Since, and so keeps its place in the queue. Zero means wait_seconds after Since.
	Until time.Time `json:"until,omitzero"`

	// Poll is set if this call is one look of a wait. Other calls with the same Request are the other looks, so that the
	// client need not keep a call open. The call does not sleep: if the wait is not over, its error is of code
	// unfinished. The wait then keeps its place in the queue for the time Poll. Zero means that the call itself waits.
	Poll time.Duration `json:"poll,omitempty"`

	// Arrives says that this look begins the wait. It claims no next work, because its answer may be lost, and then the
	// client could not ask for the claim again. A claim of a handoff by its id may be repeated, and is made.
	Arrives bool `json:"arrives,omitempty"`

	// Names are the agent names under which this caller may act. If the list is empty, the caller may use every name
	// except the reserved ones. On the command line it may act as human in any case.
	Names []Agent `json:"names,omitempty"`

	// Scope limits the actions of the caller, see [Scope].
	Scope Scope `json:"scope,omitempty"`

	// Token is the name of the bearer token that proved the caller. It is empty if the caller used no token. The name
	// is no secret.
	Token string `json:"token,omitempty"`

	// Proof says how the caller was proven to be a person. It is "terminal" if a person was at the terminal, the name of
	// a setting that replaced the terminal, or "form" if a client asked its user. It is empty if nothing proved a person.
	// The mailbox stores it in the event of the call.
	Proof string `json:"proof,omitempty"`

	// MaxPending limits how many handoffs that were sent with Token may be pending at a time. Zero means no limit.
	MaxPending int `json:"max_pending,omitempty"`

	// Tree is the git working tree in which the caller's process runs. It is nil if there is none, or if the call does
	// not need it.
	Tree *Tree `json:"tree,omitempty"`

	// BranchState holds more facts about this working tree. It comes with a claim, a progress report and a completion.
	BranchState *BranchState `json:"touched,omitempty"`

	// Clients names the clients that are set up on the machine of a caller on the command line. A session of such a
	// client is told of its work when it starts.
	Clients []Agent `json:"clients,omitempty"`

	// CheckReport is the report of the caller's process on the checks that a completion must pass. It is nil if the
	// process observed no check.
	CheckReport *CheckReport `json:"sight,omitempty"`

	// Rule is the rule of a file that wrote the text of this send. It is nil if the caller wrote the text. Only the
	// owner of the store sets it.
	Rule *SendingRule `json:"-"`

	// Trace names the span of the caller's trace in which the caller made this call, as a W3C traceparent. It is empty
	// if the caller has no trace.
	Trace string `json:"trace,omitempty"`
}

// Scope limits the actions that a caller over the network may take under any of its names.
type Scope string

// The scopes. With the zero value, only Names limits the caller.
const (
	ScopeRead  Scope = "read"  // reads only; reading marks no notices as read
	ScopeAgent Scope = "agent" // all tools
	ScopeAdmin Scope = "admin" // also as human, where that is among the names
)

// WithName returns the caller under another name, which may be written as @NAME. The error says why the caller may not
// take the name.
func (c Caller) WithName(name string) (Caller, error) {
	agent, err := ParseAgent("agent", strings.TrimPrefix(name, "@"))
	if err != nil {
		return c, err
	}
	if !c.mayActAs(agent) {
		return c, c.deniedNameError(agent)
	}
	c.Agent = agent
	return c, nil
}

// ReceiptLife is how long the mailbox keeps the result of a call with a request id. Callers repeat a call within seconds
// or minutes. A day is enough even if the machine sleeps between the two calls.
const ReceiptLife = 24 * time.Hour

// IsProvenPerson reports whether the caller is proven to be a person. On the command line every caller may act as
// human, so the result is true only with a proof. Over the network the token is the proof.
func (c Caller) IsProvenPerson() bool { return c.Agent == Human && (c.Via != ViaCLI || c.Proof != "") }

// Trust says what the connection proves about its caller. The zero value is an agent on this machine, which may act
// under any name.
type Trust string

// The other degrees of trust.
const (
	TrustHuman    Trust = "human"    // a person, at the terminal or by a personal token
	TrustExternal Trust = "external" // a caller with a token, or one that reaches the server over the network
)

// Trust returns the trust in the connection of the call.
func (c Caller) Trust() Trust {
	switch {
	case c.IsProvenPerson():
		return TrustHuman
	case c.Via == ViaHTTP:
		return TrustExternal
	}
	return ""
}

// deniedNameError returns the error for a name that the caller may not use. It lists the names that the caller may use.
func (c Caller) deniedNameError(a Agent) error {
	e := Errorf(Denied, "this connection may not act as %s", a).WithField("agent")
	if len(c.Names) == 0 {
		return e.WithHint("Leave it out to act under the name of this connection.")
	}
	known := FormatAll(c.Names)
	return e.WithChoices(known...).WithHint(
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
