package auth

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"handoff/schemas"
	"handoff/tools"
)

// AgentHeader chooses the agent to act as.
const AgentHeader = "Handoff-Agent"

// named gives the caller under the name that it asks for.
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
	if e.Code != schemas.Denied { // whatever it is, perhaps a secret, is kept nowhere
		return c, forbid(Agent, c.Token, "%s: that is not an agent name", AgentHeader).withHint("%s", mayBe(c, e))
	}
	g.keep(r.Context(), c, asked)
	return c, forbid(Agent, c.Token, "%s: %s", AgentHeader, e.Message).withHint("%s", mayBe(c, e))
}

// keep has the workspace refuse the name too, which is what enters it in the registry for callers with a token.
// Any tool does: none runs.
func (g *Gate) keep(ctx context.Context, c schemas.Caller, asked string) {
	if c.Token == "" {
		return
	}
	args, err := json.Marshal(map[string]string{"agent": asked})
	if err == nil {
		_, _ = g.Invoker.Invoke(ctx, tools.Call{ID: g.NewRequestID(), Caller: c, Tool: "list_agents", Args: args}) // refused
	}
}

// mayBe tells who was refused a name which names it has.
func mayBe(c schemas.Caller, e *schemas.Error) string {
	switch {
	case e.Code != schemas.Denied:
		return e.Hint
	case len(c.Names) == 0:
		return "Without a token it names any agent but human and system."
	}
	names := make([]string, len(c.Names))
	for i, name := range c.Names {
		names[i] = string(name)
	}
	return "Name " + strings.Join(names, " or ") + ", or leave the header out."
}
