package auth

import (
	"encoding/json"
	"net/http"

	"handoff/schemas"
)

// MetadataURL is where clients look for the metadata of a resource, as https://host/mcp.
func MetadataURL(resource string) string {
	return wellKnown(resource, "oauth-protected-resource")
}

// Metadata answers at [MetadataURL], and at the same address without the path of the resource, with where tokens
// come from (RFC 9728). Anybody may ask, without a token.
func Metadata(resource, issuer string) http.Handler {
	document, err := json.Marshal(struct {
		Resource string   `json:"resource"`
		Name     string   `json:"resource_name"`
		Issuers  []string `json:"authorization_servers"`
		Methods  []string `json:"bearer_methods_supported"`
		Scopes   []string `json:"scopes_supported"`
	}{resource, "handoff", []string{issuer}, []string{"header"}, scopes()})
	if err != nil {
		panic(err) // texts always have a JSON form
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(document) // the client left
	})
}

func scopes() []string {
	var all []string
	for _, scope := range []schemas.Scope{schemas.ScopeRead, schemas.ScopeAgent, schemas.ScopeAdmin} {
		all = append(all, scopePrefix+string(scope))
	}
	return all
}
