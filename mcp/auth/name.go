package auth

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"handoff/schemas"
	"handoff/tools"
)

// AgentHeader is the header that chooses the agent to act as.
const AgentHeader = "Handoff-Agent"

// named returns the caller under the name in the header.
func (g *Gate) named(r *http.Request, c schemas.Caller) (schemas.Caller, error) {
	values := r.Header.Values(AgentHeader)
	switch len(values) {
	case 0:
		return c, nil
	case 1:
	default:
		return c, forbid(Agent, c.Token, "more than one header %s", AgentHeader).withHint("Send one name.")
	}
	asked := strings.TrimSpace(values[0])
	named, err := c.As(asked)
	if err == nil {
		return named, nil
	}
	e := schemas.AsError(err)
	if e.Code != schemas.Denied { // it is no name, perhaps a secret: it is kept nowhere
		return c, forbid(Agent, c.Token, "%s: that is not an agent name", AgentHeader).withHint("%s", allowedNames(c, e))
	}
	g.recordDenied(r.Context(), c, asked)
	return c, forbid(Agent, c.Token, "%s: %s", AgentHeader, e.Message).withHint("%s", allowedNames(c, e))
}

// recordDenied makes a call under the denied name. The workspace refuses it before any tool runs, and for a caller with
// a token records that as an event.
func (g *Gate) recordDenied(ctx context.Context, c schemas.Caller, asked string) {
	if c.Token == "" {
		return
	}
	args, err := json.Marshal(map[string]string{"agent": asked})
	if err == nil {
		_, _ = g.Invoker.Invoke(ctx, tools.Call{ID: g.NewRequestID(), Caller: c, Tool: "list_agents", Args: args}) // refused
	}
}

// allowedNames tells a caller which names it may act as.
func allowedNames(c schemas.Caller, e *schemas.Error) string {
	switch {
	case e.Code != schemas.Denied:
		return e.Hint
	case len(c.Names) == 0:
		return "Without a token it names any agent but human and system."
	}
	return "Name " + strings.Join(e.Known, " or ") + ", or leave the header out."
}
