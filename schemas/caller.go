package schemas

import (
	"slices"
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
	AgentID string `json:"agent_id,omitempty"` // the client session or thread behind the name
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
}

// As gives the caller under another name, or says why it may not take it.
func (c Caller) As(name string) (Caller, error) {
	agent, err := ParseAgent("agent", name)
	if err != nil {
		return c, err
	}
	if !c.may(agent) {
		return c, Errorf(Denied, "this connection may not act as %s", agent).WithField("agent").
			WithHint("Leave agent out to act under the name of this connection.")
	}
	c.Agent = agent
	return c, nil
}

func (c Caller) may(a Agent) bool {
	switch {
	case a == System:
		return false
	case a == Human:
		return c.Via == ViaCLI
	case len(c.Names) == 0:
		return true
	}
	return slices.Contains(c.Names, a)
}
