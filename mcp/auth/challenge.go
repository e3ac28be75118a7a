package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
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

// MetadataURL returns the address of the metadata of a resource, such as https://host/mcp (RFC 9728, section 3).
func MetadataURL(resource string) string {
	return wellKnown(resource, "oauth-protected-resource")
}

// Metadata returns the handler for [MetadataURL], and for the same address without the path of the resource. It
// responds with the issuer of tokens (RFC 9728), and asks for no token.
func Metadata(resource, issuer string) http.Handler {
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
