package auth

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// NeedsToken reports whether every request needs a token, because there is an OAuth issuer, or because the workspace
// has or had a token. After its first true result, it returns true until this process ends, so that nobody gets access
// by removing the store.
func (g *Gate) NeedsToken(ctx context.Context) (bool, error) {
	if g.Issuer != nil || g.tokenNeeded.Load() {
		return true, nil
	}
	found, err := g.findToken(ctx, "")
	return found.Needed, err
}

// callerWithoutBearer returns the caller of a request without a bearer. It refuses the request if every request needs a
// token, or if the request is from another machine.
func (g *Gate) callerWithoutBearer(r *http.Request) (schemas.Caller, error) {
	if isFromThisMachine(r) {
		needed, err := g.NeedsToken(r.Context())
		if err != nil {
			return schemas.Caller{}, err
		}
		if !needed {
			return schemas.Caller{Via: schemas.ViaHTTP}, nil
		}
	}
	return schemas.Caller{}, newTokenRefusal(NoToken, "", "a token is needed")
}

// callerOfToken returns the caller for the hash of a secret, and its limit of requests per second. The secret is found
// by its hash, so the time that the search takes reveals nothing about the secret.
func (g *Gate) callerOfToken(ctx context.Context, hash string, now time.Time) (schemas.Caller, float64, error) {
	found, err := g.findToken(ctx, hash)
	if err != nil {
		return schemas.Caller{}, 0, err
	}
	t := found.Token
	switch {
	case t == nil:
		return schemas.Caller{}, 0, newTokenRefusal(Unknown, "", "nobody has this token")
	case t.Revoked != nil:
		return schemas.Caller{}, 0, newTokenRefusal(Revoked, t.Name, "token %s was revoked", t.Name)
	case t.Expires != nil && !now.Before(*t.Expires):
		at := t.Expires.UTC().Format(time.RFC3339)
		return schemas.Caller{}, 0, newTokenRefusal(Expired, t.Name, "token %s expired at %s", t.Name, at)
	case len(t.Agents) == 0: // an empty list in a Caller means all names
		return schemas.Caller{}, 0, newPermissionRefusal(Agent, t.Name, "token %s names no agent", t.Name)
	}
	return schemas.Caller{
		Via: schemas.ViaHTTP, Agent: t.Agents[0], Names: t.Agents,
		Scope: cmp.Or(t.Scope, schemas.ScopeRead), // an empty scope in a Caller means all
		Token: t.Name, MaxPending: t.Pending,
	}, cmp.Or(t.Rate, g.Rate), nil
}

// findToken asks the workspace for the token with a hash, and whether every request needs a token.
func (g *Gate) findToken(ctx context.Context, hash string) (schemas.TokenFindOut, error) {
	server := schemas.Caller{Via: schemas.ViaCLI} // this server, not the caller of the request
	c := tools.Call{ID: g.NewRequestID(), Caller: server, Tool: "token_find"}
	found, err := tools.InvokeTyped[schemas.TokenFindOut](ctx, g.Invoker, c, schemas.TokenFindIn{Hash: hash})
	if found.Needed {
		g.tokenNeeded.Store(true)
	}
	return found, err
}

// AgentHeader is the header that chooses the agent to act as.
const AgentHeader = "Handoff-Agent"

// chooseAgent returns the caller under the name in the header.
func (g *Gate) chooseAgent(r *http.Request, c schemas.Caller) (schemas.Caller, error) {
	values := r.Header.Values(AgentHeader)
	if len(values) == 0 {
		return c, nil
	}
	if len(values) > 1 {
		return c, newPermissionRefusal(Agent, c.Token, "more than one header %s", AgentHeader).withHint("Send one name.")
	}
	asked := strings.TrimSpace(values[0])
	named, err := c.WithName(asked)
	if err == nil {
		return named, nil
	}
	e := schemas.AsError(err)
	reason := "that is not an agent name" // the text may be a secret, so it is not recorded
	if e.Code == schemas.Denied {
		reason = e.Message
		g.recordDenial(r.Context(), c, asked)
	}
	return c, newPermissionRefusal(Agent, c.Token, "%s: %s", AgentHeader, reason).withHint("%s", allowedNamesHint(c, e))
}

// recordDenial makes a call under the denied name. The workspace refuses this call and records the refusal as an event.
// For a caller without a token, recordDenial does nothing.
func (g *Gate) recordDenial(ctx context.Context, c schemas.Caller, asked string) {
	if c.Token != "" {
		call := tools.Call{ID: g.NewRequestID(), Caller: c, Tool: "list_agents"}
		_, _ = tools.InvokeTyped[schemas.AgentsOut](ctx, g.Invoker, call, map[string]string{"agent": asked}) // it is refused
	}
}

// allowedNamesHint returns a hint with the names that the caller may act as.
func allowedNamesHint(c schemas.Caller, e *schemas.Error) string {
	switch {
	case e.Code != schemas.Denied:
		return e.Hint
	case len(c.Names) == 0:
		return "Without a token it names any agent but human and system."
	}
	return "Name " + strings.Join(e.Known, " or ") + ", or leave the header out."
}
