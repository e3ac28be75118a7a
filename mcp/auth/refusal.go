package auth

import (
	"time"

	"handoff/schemas"
)

// Reason says why a request was refused, for metrics.
type Reason string

// The reasons.
const (
	NoToken   Reason = "no_token"
	Malformed Reason = "malformed" // not well-formed, or in the wrong header
	Unknown   Reason = "unknown"
	Expired   Reason = "expired"
	Revoked   Reason = "revoked"
	JWT       Reason = "jwt"   // the issuer's token is not valid, or lacks claims
	Agent     Reason = "agent" // a valid token, and a name that it may not act as
	Rate      Reason = "rate"
)

// Refusal is the error of a request that is refused. It wraps the [*schemas.Error] for the client.
type Refusal struct {
	Reason Reason
	Token  string // the name of the token, empty when it is not known

	err  *schemas.Error
	code string // of RFC 6750, empty when there is none
}

func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the error for the client.
func (r *Refusal) Unwrap() error { return r.err }

// The codes of RFC 6750, section 3.1.
const (
	invalidRequest    = "invalid_request"
	invalidToken      = "invalid_token"
	insufficientScope = "insufficient_scope"
)

// refuse is for a caller without a valid token.
func refuse(why Reason, format string, args ...any) *Refusal {
	e := schemas.Errorf(schemas.Denied, format, args...).WithHint("handoff token add makes a token; " +
		"send its secret in the header Authorization, after the word Bearer.")
	return &Refusal{Reason: why, err: e, code: invalidToken}
}

// forbid is for a known caller that may not do this.
func forbid(why Reason, token, format string, args ...any) *Refusal {
	return &Refusal{Reason: why, Token: token, err: schemas.Errorf(schemas.Denied, format, args...)}
}

func tooMany(wait time.Duration, format string, args ...any) *Refusal {
	e := schemas.Errorf(schemas.Limit, format, args...).After(wait)
	return &Refusal{Reason: Rate, err: e.WithHint("Try again in %d seconds.", e.RetryAfter)}
}

func (r *Refusal) withHint(format string, args ...any) *Refusal {
	r.err = r.err.WithHint(format, args...)
	return r
}

func (r *Refusal) withCode(code string) *Refusal {
	r.code = code
	return r
}

func (r *Refusal) withToken(token string) *Refusal {
	r.Token = token
	return r
}

// unauthorized reports whether another token would help, and not more rights or waiting.
func (r *Refusal) unauthorized() bool {
	return r.Reason == NoToken || r.code == invalidToken || r.code == invalidRequest
}
