// Package auth says who calls over HTTP, and lets nobody else in. Whoever sends "Authorization: Bearer SECRET"
// ([RFC 6750]) with a secret that begins with hoff_ has a token of the workspace: the token names the agents it
// may act as, its scope bounds what it may do, and it is looked up anew for each request, so that revoking it
// takes effect at once. Any other bearer is a JSON Web Token ([RFC 9068]) of the OAuth issuer, if one is
// configured: its signature, issuer, audience and times are checked, its claims name agents and scope, and
// [RFC 9728] metadata tells clients where to get one, as the Authorization section of the [MCP specification]
// asks, revisions 2025-11-25 and 2026-07-28. As long as a workspace has neither an issuer nor any token, be it
// revoked or expired, programs of the same machine need none: a request that arrives at a loopback address, and
// that no proxy forwarded, may act as any agent but human and system. The header Handoff-Agent chooses among
// the names that the caller may act as; without it the first one counts. Secrets are read from that one header
// and never from an address, and no error or log holds any part of one.
//
// [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750
// [RFC 9068]: https://www.rfc-editor.org/rfc/rfc9068
// [RFC 9728]: https://www.rfc-editor.org/rfc/rfc9728
// [MCP specification]: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// Config wires a [Gate]. Invoker, NewRequestID and Now are required.
type Config struct {
	Invoker      tools.Invoker // asked whose a secret is
	NewRequestID func() string // see [tools.NewRequestID]
	Now          func() time.Time

	Issuer *Issuer // of access tokens; nil when there is no OAuth
	Rate   float64 // requests a second of a token that says nothing else, default 50

	Logger *slog.Logger        // told of refusals, where a token is known; default: discards
	Denied func(reason Reason) // counts refusals; nil counts none
}

// Gate says who makes a request. Its methods may be called concurrently.
type Gate struct {
	Config
	rates     *limits // by name of token
	strangers *strangers
	closed    atomic.Bool // nobody is let in without a token any more
}

// New makes a gate that has seen nobody yet.
func New(c Config) *Gate {
	if c.Rate == 0 {
		c.Rate = 50
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Denied == nil {
		c.Denied = func(Reason) {}
	}
	return &Gate{Config: c, rates: newLimits(), strangers: newStrangers()}
}

// Caller says who makes a request, all but its agent_id and trace. An error is a [*Refusal], or what the store or
// the issuer had to say, which is no reason to let anybody in; each wraps an [*schemas.Error] for the caller. With
// a refusal of a name, or of one request too many, comes the caller who is known.
func (g *Gate) Caller(r *http.Request) (schemas.Caller, error) {
	caller, err := g.identify(r)
	if err == nil {
		caller, err = g.named(r, caller)
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		g.refused(r.Context(), refusal)
	}
	return caller, err
}

func (g *Gate) refused(ctx context.Context, refusal *Refusal) {
	g.Denied(refusal.Reason)
	if refusal.Token != "" {
		g.Logger.InfoContext(ctx, "caller refused",
			slog.String("reason", string(refusal.Reason)), slog.String("token", refusal.Token), slog.Any("error", refusal))
	}
}

// Still tells whether a request that was let in would be again: meanwhile its token may have been revoked, or
// expired. It counts for no limit.
func (g *Gate) Still(r *http.Request) error {
	bearer, err := bearerOf(r.Header)
	switch {
	case err != nil:
		return err
	case bearer == "":
		_, err = g.anonymous(r)
	default:
		_, _, err = g.lookUp(r.Context(), bearer, Hash(bearer), g.Now())
	}
	return err
}

// identify gives the caller under its usual name.
func (g *Gate) identify(r *http.Request) (schemas.Caller, error) {
	bearer, err := bearerOf(r.Header)
	switch {
	case err != nil:
		return schemas.Caller{}, err
	case bearer == "":
		return g.anonymous(r)
	case strings.HasPrefix(bearer, prefix) && !WellFormed(bearer):
		return schemas.Caller{}, refuse(Malformed, "the token is misspelt: its checksum is wrong")
	case !strings.HasPrefix(bearer, prefix) && g.Issuer == nil:
		return schemas.Caller{}, refuse(Malformed, "the bearer is no token of handoff, which begins with %s", prefix)
	}
	return g.proven(r, bearer)
}

// proven gives the caller who holds a bearer that is spelt well. A bearer that was good a moment ago is looked
// up whatever others at the same address do; who guesses is slowed down.
func (g *Gate) proven(r *http.Request, bearer string) (schemas.Caller, error) {
	now, from, hash := g.Now(), source(r.RemoteAddr), Hash(bearer)
	if wait := g.strangers.wait(from, hash, now); wait > 0 {
		return schemas.Caller{}, tooMany(wait, "too many bad tokens from this address")
	}
	caller, perSecond, err := g.lookUp(r.Context(), bearer, hash, now)
	if err != nil {
		if _, refused := errors.AsType[*Refusal](err); refused {
			g.strangers.failed(from, hash, now)
		}
		return schemas.Caller{}, err
	}
	g.strangers.proved(hash)
	if wait := g.rates.take(caller.Token, perSecond, now); wait > 0 {
		e := tooMany(wait, "token %s may make %v requests a second", caller.Token, perSecond)
		e.Token = caller.Token
		return caller, e
	}
	return caller, nil
}

// lookUp gives who holds a bearer, and how many requests a second they may make.
func (g *Gate) lookUp(ctx context.Context, bearer, hash string, now time.Time) (schemas.Caller, float64, error) {
	if strings.HasPrefix(bearer, prefix) {
		return g.holder(ctx, hash, now)
	}
	caller, err := g.Issuer.caller(ctx, bearer)
	return caller, g.Rate, err
}
