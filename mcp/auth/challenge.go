package auth

import (
	"errors"
	"strings"

	"handoff/schemas"
)

// Challenge returns the value of the header WWW-Authenticate for an error of [Gate.Caller], empty for none. When ok is
// true the status of the response is 401, else that of the error's code in [schemas.Codes]. MetadataURL is the result
// of [MetadataURL], empty without OAuth.
func Challenge(err error, metadataURL string) (value string, ok bool) {
	refusal, is := errors.AsType[*Refusal](err)
	if !is || !refusal.unauthorized() && refusal.code == "" {
		return "", false
	}
	var params []string
	param := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+quotable(value)+`"`)
		}
	}
	if refusal.Reason != NoToken { // RFC 6750: no error for a request without a bearer
		param("error", refusal.code)
		param("error_description", refusal.Error())
	}
	if refusal.code == insufficientScope || metadataURL != "" && refusal.unauthorized() {
		param("scope", scopePrefix+string(schemas.ScopeAgent))
	}
	param("resource_metadata", metadataURL)
	return strings.TrimSpace("Bearer " + strings.Join(params, ", ")), refusal.unauthorized()
}

// quotable replaces what RFC 6750 does not allow in quotes: all but printable ASCII, and " and \.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, s)
}
