package auth

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// Needed tells whether nobody is let in without a token. Once that was so it stays, for this process: a store that
// is taken away or replaced must not open the door.
func (g *Gate) Needed(ctx context.Context) (bool, error) {
	if g.Issuer != nil || g.closed.Load() {
		return true, nil
	}
	found, err := g.find(ctx, "")
	return found.Needed, err
}

// anonymous gives the caller who brought nothing, where none is needed.
func (g *Gate) anonymous(r *http.Request) (schemas.Caller, error) {
	if here(r) {
		needed, err := g.Needed(r.Context())
		if err != nil {
			return schemas.Caller{}, err
		}
		if !needed {
			return schemas.Caller{Via: schemas.ViaHTTP}, nil
		}
	}
	return schemas.Caller{}, refuse(NoToken, "a token is needed")
}

// holder gives who holds the secret of a hash, and how many requests a second they may make. Looking up by hash
// tells a stopwatch nothing about secrets: who can choose the first bytes of a SHA-256 still cannot choose those
// of what was hashed.
func (g *Gate) holder(ctx context.Context, hash string, now time.Time) (schemas.Caller, float64, error) {
	found, err := g.find(ctx, hash)
	if err != nil {
		return schemas.Caller{}, 0, err
	}
	t := found.Token
	switch {
	case t == nil:
		return schemas.Caller{}, 0, refuse(Unknown, "nobody has this token")
	case t.Revoked != nil:
		return schemas.Caller{}, 0, refuse(Revoked, "token %s was revoked", t.Name).of(t.Name)
	case t.Expires != nil && !now.Before(*t.Expires):
		return schemas.Caller{}, 0, refuse(Expired, "token %s expired at %s", t.Name, t.Expires.UTC().Format(time.RFC3339)).of(t.Name)
	case len(t.Agents) == 0: // no names would mean all of them
		return schemas.Caller{}, 0, forbid(Agent, t.Name, "token %s names no agent", t.Name)
	}
	return schemas.Caller{
		Via: schemas.ViaHTTP, Agent: t.Agents[0], Names: t.Agents,
		Scope: cmp.Or(t.Scope, schemas.ScopeRead), // none would mean all of them
		Token: t.Name, MaxPending: t.Pending,
	}, cmp.Or(t.Rate, g.Rate), nil
}

// find asks the workspace for the token of a hash. Where it cannot say, nobody is let in.
func (g *Gate) find(ctx context.Context, hash string) (schemas.TokenFindOut, error) {
	server := schemas.Caller{Via: schemas.ViaCLI} // who asks is not who calls
	c := tools.Call{ID: g.NewRequestID(), Caller: server, Tool: "token_find"}
	found, err := tools.Ask[schemas.TokenFindOut](ctx, g.Invoker, c, schemas.TokenFindIn{Hash: hash})
	if found.Needed {
		g.closed.Store(true)
	}
	return found, err
}
