package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// RefusalReason is the reason of a refusal, for metrics.
type RefusalReason string

// The reasons.
const (
	NoToken   RefusalReason = "no_token"
	Malformed RefusalReason = "malformed" // not well-formed, or in the wrong header
	Unknown   RefusalReason = "unknown"
	Expired   RefusalReason = "expired"
	Revoked   RefusalReason = "revoked"
	JWT       RefusalReason = "jwt"   // the issuer's token is not valid, or lacks claims
	Agent     RefusalReason = "agent" // the token is valid, but may not act as the named agent
	Rate      RefusalReason = "rate"
)

// Refusal is the error of a refused request. It wraps the [*schemas.Error] for the client.
type Refusal struct {
	Reason RefusalReason
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

// newTokenRefusal returns a refusal for a caller without a valid token. Token is its name, or empty if it is not known.
func newTokenRefusal(why RefusalReason, token, format string, args ...any) *Refusal {
	e := schemas.Errorf(schemas.Denied, format, args...).WithHint("handoff token add makes a token; " +
		"send its secret in the header Authorization, after the word Bearer.")
	return &Refusal{Reason: why, Token: token, err: e, code: invalidToken}
}

// newPermissionRefusal returns a refusal for a known caller without permission.
func newPermissionRefusal(why RefusalReason, token, format string, args ...any) *Refusal {
	return &Refusal{Reason: why, Token: token, err: schemas.Errorf(schemas.Denied, format, args...)}
}

func newRateRefusal(wait time.Duration, token, format string, args ...any) *Refusal {
	e := schemas.Errorf(schemas.Limit, format, args...).WithRetryAfter(wait)
	return &Refusal{Reason: Rate, Token: token, err: e.WithHint("Try again in %s.", schemas.CountNoun(e.RetryAfter, "second"))}
}

func (r *Refusal) withHint(format string, args ...any) *Refusal {
	r.err = r.err.WithHint(format, args...)
	return r
}

func (r *Refusal) withCode(code string) *Refusal {
	r.code = code
	return r
}

// isUnauthorized reports whether the request could succeed with another token.
func (r *Refusal) isUnauthorized() bool {
	return r.Reason == NoToken || r.code == invalidToken || r.code == invalidRequest
}

// ChallengeHeader returns the value of the header WWW-Authenticate for an error of [Gate.Caller]. The value is "" if
// the response needs no such header. If ok is true, the status of the response is 401. Otherwise it is the status that
// [schemas.Codes] has for the code of the error. MetadataURL is the result of [MetadataURL], or "" without OAuth.
func ChallengeHeader(err error, metadataURL string) (value string, ok bool) {
	refusal, is := errors.AsType[*Refusal](err)
	if !is || !refusal.isUnauthorized() && refusal.code == "" {
		return "", false
	}
	var params []string
	param := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+replaceUnquotable(value)+`"`)
		}
	}
	if refusal.Reason != NoToken { // RFC 6750: no error for a request without a bearer
		param("error", refusal.code)
		param("error_description", refusal.Error())
	}
	if refusal.code == insufficientScope || metadataURL != "" && refusal.isUnauthorized() {
		param("scope", scopePrefix+string(schemas.ScopeAgent))
	}
	param("resource_metadata", metadataURL)
	return strings.TrimSpace("Bearer " + strings.Join(params, ", ")), refusal.isUnauthorized()
}

// replaceUnquotable replaces the characters that RFC 6750 does not allow in quotes by an apostrophe.
func replaceUnquotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, s)
}

// MetadataURL returns the address of the metadata of a resource, such as https://host/mcp (RFC 9728, section 3).
func MetadataURL(resource string) string {
	return wellKnownAddress(resource, "oauth-protected-resource")
}

// MetadataHandler returns the handler for [MetadataURL]. The response names the issuer of tokens (RFC 9728). The
// request needs no token.
func MetadataHandler(resource, issuer string) http.Handler {
	var offered []string
	for _, scope := range slices.Backward(scopes) {
		offered = append(offered, scopePrefix+string(scope))
	}
	document, err := json.Marshal(struct {
		Resource string   `json:"resource"`
		Name     string   `json:"resource_name"`
		Issuers  []string `json:"authorization_servers"`
		Methods  []string `json:"bearer_methods_supported"`
		Scopes   []string `json:"scopes_supported"`
	}{resource, "handoff", []string{issuer}, []string{"header"}, offered})
	if err != nil {
		panic(err) // strings always encode
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(document) // the client left
	})
}
