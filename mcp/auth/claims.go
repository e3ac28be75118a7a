package auth

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"handoff/schemas"
)

// skew is how far the clocks of issuer and server may be apart.
const skew = time.Minute

// scopePrefix is before each [schemas.Scope] in the scope of an access token.
const scopePrefix = "handoff:"

// claims are the claims of a token that the library does not know.
type claims struct {
	Subject   string          `json:"sub"`
	NotBefore float64         `json:"nbf"`
	Scope     words           `json:"scope"` // RFC 9068
	Scp       words           `json:"scp"`   // the scope at other issuers
	Kind      string          `json:"typ"`   // the type at some issuers
	Nonce     json.RawMessage `json:"nonce"`
	AtHash    json.RawMessage `json:"at_hash"`
	Bound     json.RawMessage `json:"cnf"` // RFC 7800
}

// words are an array of strings, or one string of words.
type words []string

func (w *words) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*w = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// admit returns the caller of a token whose signature is valid.
func (i *Issuer) admit(bearer string, token *oidc.IDToken) (schemas.Caller, error) {
	var c claims
	if err := token.Claims(&c); err != nil {
		return schemas.Caller{}, refuse(JWT, "the claims of the token are not what they should be")
	}
	name := subjectName(c.Subject)
	if fault := i.fault(token, c, typeOf(bearer)); fault != "" {
		return schemas.Caller{}, refuse(JWT, "%s", fault).withToken(name)
	}
	scope := c.scope()
	if scope == "" {
		return schemas.Caller{}, forbid(JWT, name, "the token has no scope of handoff").withCode(insufficientScope).
			withHint("Ask the issuer for one of handoff:read, handoff:agent and handoff:admin.")
	}
	agents := i.agents(token, scope)
	if len(agents) == 0 {
		return schemas.Caller{}, forbid(JWT, name, "the token names no agent that it may act as").
			withHint("Have the issuer name them in the claim %s; human also takes handoff:admin.", i.AgentsClaim)
	}
	return schemas.Caller{
		Via: schemas.ViaHTTP, Agent: agents[0], Names: agents,
		Scope: scope,
		Token: name, MaxPending: i.Pending,
	}, nil
}

// fault says why a token whose signature is valid is no access token for this server at this time. It is empty for one
// that is.
func (i *Issuer) fault(token *oidc.IDToken, c claims, typ string) string {
	now := i.Now()
	switch {
	case token.Issuer != i.URL:
		return "the token is of another issuer"
	case !slices.Contains(token.Audience, i.Audience):
		return "the token is for another audience"
	case !now.Before(token.Expiry.Add(skew)): // without a time it is the zero time
		return "the token has expired"
	case now.Add(skew).Before(time.UnixMilli(int64(c.NotBefore * 1000))):
		return "the token is not good yet"
	case !isAccessType(typ) || c.Kind != "" && !strings.EqualFold(c.Kind, "Bearer") || c.Nonce != nil || c.AtHash != nil:
		return "the token is not an access token"
	case c.Bound != nil:
		return "the token is bound to a key, and nothing proves that its sender has the key"
	case c.Subject == "":
		return "the token does not say whom it is for"
	}
	return ""
}

// isAccessType reports whether an access token may have this type. Many issuers still write JWT, or nothing.
func isAccessType(typ string) bool {
	typ = strings.TrimPrefix(strings.ToLower(typ), "application/")
	return typ == "" || typ == "jwt" || typ == "at+jwt"
}

// typeOf reads the type in the header of a token whose signature is valid.
func typeOf(bearer string) string {
	head, _, _ := strings.Cut(bearer, ".")
	var header struct {
		Type string `json:"typ"`
	}
	b, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil || json.Unmarshal(b, &header) != nil {
		return "unreadable"
	}
	return header.Type
}

// isCompact reports whether a bearer has three parts, the one form of a token that may be in a header.
func isCompact(bearer string) bool {
	return strings.Count(bearer, ".") == 2 && !strings.ContainsAny(bearer, "{} ")
}

// scope is the widest scope that the token has, empty for none.
func (c claims) scope() schemas.Scope {
	all := slices.Concat(c.Scope, c.Scp)
	for _, scope := range []schemas.Scope{schemas.ScopeAdmin, schemas.ScopeAgent, schemas.ScopeRead} {
		if slices.Contains(all, scopePrefix+string(scope)) {
			return scope
		}
	}
	return ""
}

// agents are the agents that the token may act as. Names that no agent can have are left out, and names that need a
// wider scope.
func (i *Issuer) agents(token *oidc.IDToken, scope schemas.Scope) []schemas.Agent {
	var all map[string]json.RawMessage
	var named words
	if token.Claims(&all) != nil || json.Unmarshal(all[i.AgentsClaim], &named) != nil {
		return nil
	}
	by := schemas.Caller{Via: schemas.ViaHTTP, Scope: scope}
	for _, name := range named {
		by.Names = append(by.Names, schemas.Agent(name))
	}
	var agents []schemas.Agent
	for _, name := range named {
		if as, err := by.As(name); err == nil && !slices.Contains(agents, as.Agent) {
			agents = append(agents, as.Agent)
		}
	}
	return agents
}

// hashed matches the end of a name that was made of a subject and its hash.
var hashed = regexp.MustCompile(`-[0-9a-f]{8}$`)

// subjectName is the name for the subject of a token, where tokens of the workspace have their own name. No token of
// the workspace has such a name, because their names have no colon.
func subjectName(subject string) string {
	const maxName = 60
	name := schemas.Visible(subject)
	if name != subject || len(name) > maxName || hashed.MatchString(name) { // others may look the same
		name = schemas.Clip(name, maxName-9) + "-" + Hash(subject)[:8]
	}
	return "jwt:" + name
}
