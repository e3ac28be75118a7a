// Package tokens stores the bearer tokens of a workspace. A token lets callers over a network act as certain agents.
// The package also records denied requests. Package mcp/auth checks each request against the tokens.
package tokens

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/names"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Tokens manages the bearer tokens of a workspace. Its methods may be called concurrently.
type Tokens struct {
	Engine  *operation.Engine
	denials denialCounts
}

// AddToken stores a bearer token for the command handoff token add. The command makes the secret and passes only its
// SHA-256. From the first token on, every request over HTTP needs a token. A successful result means that the token is
// on disk.
//
// The error is denied for a caller over HTTP. It is also denied for a token that names human, unless the scope is admin
// and the caller is a person. The error is invalid for a malformed name, agent or hash, and for an end in the past. The
// error is conflict if another token, even a revoked one, has the name or the secret. Names are compared without case.
// A repeat is a conflict, unless it has the request id of the first call.
func (s *Tokens) AddToken(ctx context.Context, by schemas.Caller, in schemas.TokenAddIn) (schemas.TokenAddOut, error) {
	t, err := s.newToken(by, in)
	if err != nil {
		return schemas.TokenAddOut{}, err
	}
	return operation.UpdateForCaller(ctx, s.Engine, by, func(o *operation.Op) (out schemas.TokenAddOut, err error) {
		if err := checkTokenUnused(o, t); err != nil {
			return out, err
		}
		if person := (schemas.Caller{Agent: schemas.Human, Via: by.Via, Proof: by.Proof}); !person.IsProvenPerson() &&
			slices.Contains(t.Agents, schemas.Human) {
			return out, schemas.PersonNeededf("token %s lets its holder act as human, which a person alone allows", t.Name)
		}
		added := t
		added.Created = o.Now.UTC()
		return schemas.TokenAddOut{Token: added.Token}, cmp.Or(o.PutToken(added), o.RecordEvent(life.TokenAdd, added.Token))
	})
}

// ListTokens returns all tokens sorted by name, including expired and revoked ones, for the command handoff token list.
// The result has no hashes. The error is denied for a caller over HTTP.
func (s *Tokens) ListTokens(ctx context.Context, by schemas.Caller, _ schemas.TokenListIn) (schemas.TokenListOut, error) {
	if err := refuseRemote(by); err != nil {
		return schemas.TokenListOut{}, err
	}
	return operation.ReadSnapshot(ctx, s.Engine, func(v *store.View) (out schemas.TokenListOut, err error) {
		all, err := reading.Collect(v.Tokens())
		out.Tokens = append([]schemas.Token{}, schemas.Map(all, func(t store.Token) schemas.Token { return t.Token })...)
		return out, err
	})
}

// RevokeToken makes a token invalid from the next request on, for the command handoff token revoke. Claims and sends
// that were made with the token stay valid. The row of the token stays, so that no new token gets its name. The error
// is denied for a caller over HTTP, and not_found for an unknown name. A repeat returns the first result and writes no
// event.
func (s *Tokens) RevokeToken(
	ctx context.Context, by schemas.Caller, in schemas.TokenRevokeIn,
) (schemas.TokenRevokeOut, error) {
	if err := refuseRemote(by); err != nil {
		return schemas.TokenRevokeOut{}, err
	}
	return operation.UpdateForCaller(ctx, s.Engine, by, func(o *operation.Op) (out schemas.TokenRevokeOut, err error) {
		t, err := o.Token(in.Name)
		switch {
		case err != nil:
			return out, err
		case t == nil:
			return out, schemas.Errorf(schemas.NotFound, "there is no token %q", schemas.EscapeHidden(schemas.Clip(in.Name, 80))).
				WithField("name").WithNext(schemas.AdviseCall(schemas.TokenListIn{}, "shows which there are"))
		case t.Revoked != nil:
			return schemas.TokenRevokeOut{Token: t.Token}, nil
		}
		t.Revoked = schemas.TimeOrNil(o.Now.UTC())
		return schemas.TokenRevokeOut{Token: t.Token}, cmp.Or(o.PutToken(*t), o.RecordEvent(life.TokenRevoke, t.Token))
	})
}

// FindToken returns the token whose secret has the hash, and whether requests need a token. It also returns an expired
// or revoked token, so the caller has to check the token. For an unknown hash, the result has no token, and the error
// is nil. The error is denied for a caller over HTTP. Every request over HTTP calls FindToken, so it reads at most two
// rows.
func (s *Tokens) FindToken(ctx context.Context, by schemas.Caller, in schemas.TokenFindIn) (schemas.TokenFindOut, error) {
	if err := refuseRemote(by); err != nil {
		return schemas.TokenFindOut{}, err
	}
	return operation.ReadSnapshot(ctx, s.Engine, func(v *store.View) (out schemas.TokenFindOut, err error) {
		t, err := v.TokenByHash(strings.ToLower(in.Hash))
		if err != nil {
			return out, err
		}
		if t != nil {
			return schemas.TokenFindOut{Token: &t.Token, Needed: true}, nil
		}
		for _, err := range v.Tokens() {
			return schemas.TokenFindOut{Needed: true}, err
		}
		return out, nil
	})
}

// refuseRemote returns an error if the caller is connected over HTTP, because only processes of the store's owner may
// manage tokens. The error is denied. It ignores the scope, so no token can be used to manage tokens.
func refuseRemote(by schemas.Caller) error {
	if by.Via != schemas.ViaHTTP {
		return nil
	}
	return schemas.Errorf(schemas.Denied, "tokens are not for callers over HTTP").
		WithHint("Whoever runs the server manages them with handoff token.")
}

// newToken checks the input of a new token and returns the token without its creation time. It runs before the
// transaction.
func (s *Tokens) newToken(by schemas.Caller, in schemas.TokenAddIn) (t store.Token, err error) {
	if err := refuseRemote(by); err != nil {
		return t, err
	}
	if _, err := schemas.ParseAgent("name", in.Name); err != nil {
		return t, schemas.Invalidf("name", "%q is not a name", schemas.EscapeHidden(in.Name)).
			WithHint("Names are 1 to 64 of A-Z a-z 0-9 . _ - and do not begin with . or -, such as ci.")
	}
	if sum, err := hex.DecodeString(in.Hash); err != nil || len(sum) != 32 {
		return t, schemas.Invalidf("hash", "is not a SHA-256 in hexadecimal").
			WithHint("handoff token add makes a secret and its hash.")
	}
	in.Scope = cmp.Or(in.Scope, schemas.ScopeAgent)
	if err := checkAgents(in.Agents, in.Scope); err != nil {
		return t, err
	}
	if now := s.Engine.Now(); !in.Expires.IsZero() && !in.Expires.After(now) {
		return t, schemas.Invalidf("expires", "%s is in the past", in.Expires.UTC().Format(time.RFC3339)).
			WithHint(`Give a later time, a duration as "30d", or never.`)
	}
	return store.Token{
		Hash: strings.ToLower(in.Hash),
		Token: schemas.Token{
			Name: in.Name, Agents: in.Agents, Scope: in.Scope, Expires: schemas.TimeOrNil(in.Expires),
			Rate: in.Rate, Pending: in.Pending,
		},
	}, nil
}

// checkAgents checks the agents that a token names. System is refused. Human needs the scope admin, because human
// approves and cancels on behalf of a person.
func checkAgents(agents []schemas.Agent, scope schemas.Scope) error {
	if len(agents) == 0 {
		return schemas.Invalidf("agents", "is needed").WithHint("Name the agents that the token may act as.")
	}
	for i, a := range agents {
		field := fmt.Sprintf("agents[%d]", i)
		_, err := schemas.ParseAgent(field, string(a))
		switch {
		case err != nil:
			return err
		case slices.Contains(agents[:i], a):
			return schemas.Invalidf(field, "%s is named twice", a).WithHint("Name each agent once.")
		case a == schemas.System:
			return schemas.Errorf(schemas.Denied, "nobody may act as system").WithField(field).WithHint("Name agents, or human.")
		case a == schemas.Human && scope != schemas.ScopeAdmin:
			return schemas.Errorf(schemas.Denied, "a token of scope %s may not act as human", scope).WithField(field).
				WithHint("Only scope admin may: it approves, refuses and cancels in a person's name.")
		}
	}
	return nil
}

// checkTokenUnused returns an error if another token, even a revoked one, has the name or the secret. The error is
// conflict. Names are compared without case.
func checkTokenUnused(o *operation.Op, t store.Token) error {
	for had, err := range o.Tokens() {
		if err != nil {
			return err
		}
		if !strings.EqualFold(had.Name, t.Name) { // people do not tell names apart by their case
			continue
		}
		e := schemas.Errorf(schemas.Conflict, "there is a token %s", had.Name)
		if had.Revoked != nil {
			e = schemas.Errorf(schemas.Conflict, "there was a token %s, which is revoked", had.Name)
		}
		return e.WithField("name").
			WithHint("A name is used once, so that the registry tells tokens apart. Give another, such as %s.",
				names.NthName(schemas.Agent(t.Name), 2))
	}
	had, err := o.TokenByHash(t.Hash)
	if err == nil && had != nil {
		err = schemas.Errorf(schemas.Conflict, "token %s has the same secret", had.Name).
			WithField("hash").WithHint("Make a new secret.")
	}
	return err
}
