package auth

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"handoff/schemas"
)

// maxClockSkew is the allowed difference between the clocks of issuer and server.
const maxClockSkew = time.Minute

// scopePrefix precedes each [schemas.Scope] in the scope of an access token.
const scopePrefix = "handoff:"

// tokenClaims holds the claims of a token, except the configurable claim that lists its agents.
type tokenClaims struct {
	jwt.Claims
	Scope  stringOrList    `json:"scope"` // RFC 9068
	Scp    stringOrList    `json:"scp"`   // the scope at other issuers
	Kind   string          `json:"typ"`   // the type at some issuers
	Nonce  json.RawMessage `json:"nonce"`
	AtHash json.RawMessage `json:"at_hash"`
	Bound  json.RawMessage `json:"cnf"` // RFC 7800
}

// stringOrList is an array of strings, or one string of words.
type stringOrList []string

func (w *stringOrList) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*w = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// callerFromClaims returns the caller of a token whose signature is valid.
func (i *Issuer) callerFromClaims(token *jwt.JSONWebToken) (schemas.Caller, error) {
	var c tokenClaims
	var all map[string]json.RawMessage
	if err := token.UnsafeClaimsWithoutVerification(&c, &all); err != nil {
		return schemas.Caller{}, newTokenRefusal(JWT, "", "the claims of the token have wrong types")
	}
	name := subjectName(c.Subject)
	typ := token.Headers[0].ExtraHeaders[jose.HeaderType]
	if fault := i.invalidReason(c, typ); fault != "" {
		return schemas.Caller{}, newTokenRefusal(JWT, name, "%s", fault)
	}
	scope := c.widestScope()
	if scope == "" {
		return schemas.Caller{}, newPermissionRefusal(JWT, name, "the token has no scope of handoff").withCode(insufficientScope).
			withHint("Ask the issuer for one of handoff:read, handoff:agent and handoff:admin.")
	}
	agents := agentsInClaim(all[i.AgentsClaim], scope)
	if len(agents) == 0 {
		return schemas.Caller{}, newPermissionRefusal(JWT, name, "the token names no agent that it may act as").
			withHint("Have the issuer name them in the claim %s; human also takes handoff:admin.", i.AgentsClaim)
	}
	return schemas.Caller{
		Via: schemas.ViaHTTP, Agent: agents[0], Names: agents,
		Scope: scope,
		Token: name, MaxPending: i.Pending,
	}, nil
}

// invalidReason returns the reason for refusing a token with a valid signature, or "" if it is an access token for this
// server and valid now. The parameter typ is the type in the header of the token, or nil if the header has no type.
func (i *Issuer) invalidReason(c tokenClaims, typ any) string {
	now := i.Now()
	expected := jwt.Expected{Issuer: i.URL, AnyAudience: jwt.Audience{i.Audience}, Time: now}
	switch err := c.ValidateWithLeeway(expected, maxClockSkew); {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return "the token is of another issuer"
	case errors.Is(err, jwt.ErrInvalidAudience):
		return "the token is for another audience"
	case !now.Before(c.Expiry.Time().Add(maxClockSkew)): // without an expiry it is the year 1
		return "the token has expired"
	case errors.Is(err, jwt.ErrNotValidYet):
		return "the token is not good yet"
	case err != nil:
		return "the token was issued in the future"
	case !isAccessTokenType(typ) || c.Kind != "" && !strings.EqualFold(c.Kind, "Bearer") || c.Nonce != nil || c.AtHash != nil:
		return "the token is not an access token"
	case c.Bound != nil:
		return "the token is bound to a key, and nothing proves that its sender has the key"
	case c.Subject == "":
		return "the token does not say whom it is for"
	}
	return ""
}

// isAccessTokenType reports whether typ may be the type of an access token. It accepts the type JWT and a missing type,
// too, because many issuers write access tokens in this way.
func isAccessTokenType(typ any) bool {
	name, isText := typ.(string)
	name = strings.TrimPrefix(strings.ToLower(name), "application/")
	return typ == nil || isText && (name == "" || name == "jwt" || name == "at+jwt")
}

// isCompactJWT reports whether a bearer has the three parts of a JSON Web Token in an HTTP header.
func isCompactJWT(bearer string) bool {
	return strings.Count(bearer, ".") == 2 && !strings.ContainsAny(bearer, "{} ")
}

// scopes lists all scopes, the widest first.
var scopes = []schemas.Scope{schemas.ScopeAdmin, schemas.ScopeAgent, schemas.ScopeRead}

// widestScope returns the widest scope of the token, empty for none.
func (c tokenClaims) widestScope() schemas.Scope {
	all := slices.Concat(c.Scope, c.Scp)
	for _, scope := range scopes {
		if slices.Contains(all, scopePrefix+string(scope)) {
			return scope
		}
	}
	return ""
}

// agentsInClaim returns the agents in a claim. It leaves out invalid names, and names that the given scope does not
// allow (such as human).
func agentsInClaim(claim json.RawMessage, scope schemas.Scope) []schemas.Agent {
	var named stringOrList
	if json.Unmarshal(claim, &named) != nil {
		return nil
	}
	names := schemas.Map(named, func(name string) schemas.Agent { return schemas.Agent(name) })
	by := schemas.Caller{Via: schemas.ViaHTTP, Scope: scope, Names: names}
	var agents []schemas.Agent
	for _, name := range named {
		if as, err := by.WithName(name); err == nil && !slices.Contains(agents, as.Agent) {
			agents = append(agents, as.Agent)
		}
	}
	return agents
}

// hashSuffix matches the end of a name that contains a subject and its hash.
var hashSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-[0-9a-f]{8}$`) })

// subjectName returns a name for the subject of a token, for example in limits and logs. No workspace token has the
// same name, because names of workspace tokens contain no colon.
func subjectName(subject string) string {
	const maxName = 60
	name := schemas.EscapeHidden(subject)
	if name != subject || len(name) > maxName || hashSuffix().MatchString(name) { // others may look the same
		name = schemas.Clip(name, maxName-9) + "-" + HashSecret(subject)[:8]
	}
	return "jwt:" + name
}
