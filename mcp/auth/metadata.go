package auth

import (
	"encoding/json"
	"net/http"
	"slices"
)

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
