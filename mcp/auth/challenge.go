package auth

import (
	"errors"
	"strings"

	"handoff/schemas"
)

// Challenge gives the value of the header WWW-Authenticate for an error of [Gate.Caller], empty for none. With
// ok the response is 401; else it has the status of the error's code in [schemas.Codes]. MetadataURL is that of
// [MetadataURL], empty without OAuth.
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
	if refusal.Reason != NoToken { // RFC 6750: who brought nothing is told nothing
		param("error", refusal.code)
		param("error_description", refusal.Error())
	}
	if refusal.code == insufficientScope || metadataURL != "" && refusal.unauthorized() {
		param("scope", scopePrefix+string(schemas.ScopeAgent))
	}
	param("resource_metadata", metadataURL)
	return strings.TrimSpace("Bearer " + strings.Join(params, ", ")), refusal.unauthorized()
}

// quotable leaves what RFC 6750 allows in quotes: printable ASCII but for " and \.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, s)
}
