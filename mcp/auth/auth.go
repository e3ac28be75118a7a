// Package auth identifies the callers of HTTP requests, and refuses all others.
//
// A caller sends "Authorization: Bearer SECRET" ([RFC 6750]). A secret that begins with hoff_ belongs to a token of the
// workspace. The token names the agents that it may act as, and its scope limits its actions. It is looked up for each
// request, so revoking it takes effect at once. Any other bearer is a JSON Web Token ([RFC 9068]) of the OAuth issuer,
// if one is configured. Its signature, issuer, audience and times are checked, and its claims name agents and scope.
// The metadata of [RFC 9728] name the issuer to clients, as the section Authorization of the [MCP specification]
// requires in the revisions 2025-11-25 and 2026-07-28.
//
// If no issuer is configured and the workspace never had a token, programs on the same machine need no token. Their
// requests arrive at a loopback address without a proxy, and may act as any agent except human and system.
//
// The header Handoff-Agent chooses among the agents that the caller may act as. Without this header, the caller acts as
// the first of them. The package reads secrets from the header Authorization and never from an address. No error and no
// log contains any part of a secret.
//
// A bearer token is a row of the store under the SHA-256 of its secret. Reading the row costs microseconds, so there is
// no cache that could be out of date. If a request had to wait, its token is looked up again before the response. The
// token of a stream is looked up again before each event. A secret has a checksum, so most wrong secrets never reach
// the store.
//
// [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750
// [RFC 9068]: https://www.rfc-editor.org/rfc/rfc9068
// [RFC 9728]: https://www.rfc-editor.org/rfc/rfc9728
// [MCP specification]: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
package auth

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"handoff/schemas"
	"handoff/tools"
)

// Config wires a [Gate]. Invoker, NewRequestID, Now and Denied are required.
type Config struct {
	Invoker      tools.Invoker // looks tokens up, with the tool token_find
	NewRequestID func() string // see [tools.NewRequestID]
	Now          func() time.Time

	Issuer *Issuer // of access tokens; nil when there is no OAuth
	Rate   float64 // limit per second for a token without its own rate, default 50

	Logger *slog.Logger               // logs refusals of known tokens; default: discards
	Denied func(reason RefusalReason) // counts each refusal
}

// Gate identifies the caller of an HTTP request. It is safe for use by many goroutines. Use [New].
type Gate struct {
	Config
	rates       *rateLimits // by name of token
	guesses     *rateLimits // by address
	doubts      sync.Mutex  // held during the look-up of a doubtful bearer
	tokenNeeded atomic.Bool // once set, every request needs a token
}

// New returns a gate.
func New(c Config) *Gate {
	c.Rate = cmp.Or(c.Rate, 50)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Gate{Config: c, rates: newRateLimits(), guesses: newRateLimits()}
}

// Caller returns the caller of a request, without AgentID and Trace, and counts the request for the rate limit of its
// token. The error is a [*Refusal], or an error of the store or of the issuer. Each error wraps an [*schemas.Error] for
// the client. Caller returns the caller together with the error in two cases: a known token may not act as the named
// agent, or it makes too many requests.
func (g *Gate) Caller(r *http.Request) (schemas.Caller, error) {
	caller, err := g.identifyCaller(r)
	if err == nil {
		caller, err = g.chooseAgent(r, caller)
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		g.Denied(refusal.Reason)
		if refusal.Token != "" {
			g.Logger.InfoContext(r.Context(), "caller refused",
				slog.String("reason", string(refusal.Reason)), slog.String("token", refusal.Token), slog.Any("error", err))
		}
	}
	return caller, err
}

// Recheck returns an error if Caller would now refuse a request that it accepted before, for example because the token
// was revoked. It does not count for the rate limit.
func (g *Gate) Recheck(r *http.Request) error {
	bearer, err := bearerOf(r.Header)
	switch {
	case err != nil:
		return err
	case bearer == "":
		_, err = g.callerWithoutBearer(r)
	default:
		_, _, err = g.lookUpBearer(r.Context(), bearer, g.Now(), false)
	}
	return err
}

// identifyCaller returns the caller under its first name.
func (g *Gate) identifyCaller(r *http.Request) (schemas.Caller, error) {
	bearer, err := bearerOf(r.Header)
	switch {
	case err != nil:
		return schemas.Caller{}, err
	case bearer == "":
		return g.callerWithoutBearer(r)
	case strings.HasPrefix(bearer, prefix) && !IsWellFormed(bearer):
		return schemas.Caller{}, newTokenRefusal(Malformed, "", "the token is misspelt: its checksum is wrong")
	case !strings.HasPrefix(bearer, prefix) && g.Issuer == nil:
		const said = "the bearer is no token of handoff, which begins with %s"
		return schemas.Caller{}, newTokenRefusal(Malformed, "", said, prefix)
	}
	return g.authenticateBearer(r, bearer)
}

// authenticateBearer returns the caller of a well-formed bearer. It limits the number of bad bearers that one address
// may send. Beyond this limit it still accepts good bearers from the address, because many callers share the address of
// a proxy.
func (g *Gate) authenticateBearer(r *http.Request, bearer string) (schemas.Caller, error) {
	now, from := g.Now(), badTokenSource(r.RemoteAddr)
	wait := g.guesses.waitTime(from, now)
	caller, perSecond, err := g.lookUpBearer(r.Context(), bearer, now, wait > 0)
	if _, refused := errors.AsType[*Refusal](err); refused && wait > 0 {
		return schemas.Caller{}, newRateRefusal(wait, "", "too many bad tokens from this address")
	} else if refused {
		g.guesses.countRequest(from, guessRate, now)
	}
	if err != nil {
		return schemas.Caller{}, err
	}
	if wait := g.rates.countRequest(caller.Token, perSecond, now); wait > 0 {
		name := caller.Token
		return caller, newRateRefusal(wait, name, "token %s may make %s a second", name, schemas.CountNoun(perSecond, "request"))
	}
	return caller, nil
}

// lookUpBearer returns the caller of a bearer, and its limit of requests per second. The parameter doubtful is true if
// the address has sent many bad bearers. The function looks up only one doubtful bearer at a time, so that bad bearers
// cannot keep the server busy.
func (g *Gate) lookUpBearer(ctx context.Context, bearer string, now time.Time, doubtful bool) (schemas.Caller, float64, error) {
	if doubtful {
		g.doubts.Lock()
		defer g.doubts.Unlock()
	}
	if strings.HasPrefix(bearer, prefix) {
		return g.callerOfToken(ctx, HashSecret(bearer), now)
	}
	caller, err := g.Issuer.callerOfBearer(ctx, bearer, doubtful)
	return caller, g.Rate, err
}

// bearerOf returns the bearer in the header Authorization. It returns "" if there is no such header.
func bearerOf(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", newTokenRefusal(Malformed, "", "more than one header Authorization").withCode(invalidRequest)
	}
	scheme, bearer, _ := strings.Cut(values[0], " ")
	if bearer = strings.TrimLeft(bearer, " "); !strings.EqualFold(scheme, "Bearer") || bearer == "" {
		return "", newTokenRefusal(Malformed, "", "the header Authorization is not the word Bearer and a token").
			withCode(invalidRequest)
	}
	return bearer, nil
}

// isFromThisMachine reports whether a program on this machine made the request: the request arrived at a loopback
// address and has no header of a proxy. It cannot detect a proxy that adds no header, such as a tunnel.
func isFromThisMachine(r *http.Request) bool {
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// badTokenSource returns the address under which bad tokens of a client are counted. For IPv6 it is the network of the
// first 64 bits, because all addresses of such a network usually belong to one customer.
func badTokenSource(remote string) string {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := addr.Addr().Unmap()
	if network, err := ip.Prefix(64); err == nil { // it is no IPv4
		return network.String()
	}
	return ip.String()
}
