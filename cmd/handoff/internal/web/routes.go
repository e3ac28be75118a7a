package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
)

const (
	pathMCP      = "/mcp"
	pathMetadata = "/.well-known/oauth-protected-resource"
)

// A route is what answers at a path, and to which methods.
type route struct {
	handler http.Handler
	methods []string
}

// routes is the table of all that is served.
func (s *Server) routes() http.Handler {
	read := []string{http.MethodGet, http.MethodHead}
	table := table{
		pathMCP:    {s.config.MCP, []string{http.MethodPost, http.MethodGet, http.MethodDelete}},
		"/healthz": {http.HandlerFunc(healthy), read},
		"/readyz":  {newReadiness(s.config), read},
	}
	if s.config.Metadata != nil {
		table[pathMetadata] = route{s.config.Metadata, read}
		table[pathMetadata+pathMCP] = table[pathMetadata]
	}
	if s.config.Metrics != nil {
		table["/metrics"] = route{http.HandlerFunc(s.metrics), read}
	}
	return table
}

type table map[string]route

func (t table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := t[r.URL.Path]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, schemas.Errorf(schemas.NotFound, "nothing is served here").WithHint("%s", elsewhere(r.URL.Path)))
	case !slices.Contains(found.methods, r.Method):
		noteRoute(r, r.URL.Path)
		w.Header().Set("Allow", strings.Join(found.methods, ", "))
		refuse(w, http.StatusMethodNotAllowed, schemas.Errorf(schemas.Invalid, "%s takes only %s",
			r.URL.Path, strings.Join(found.methods, ", ")))
	default:
		noteRoute(r, r.URL.Path)
		found.handler.ServeHTTP(w, r)
	}
}

func elsewhere(path string) string {
	switch {
	case strings.TrimRight(path, "/") == pathMCP:
		return "MCP is spoken at /mcp, without a slash at the end."
	case path == "/register" || strings.HasPrefix(path, "/.well-known/"): // where clients look that have no token
		return "Nobody signs in here. Send a token, which handoff token add makes, in the header Authorization."
	}
	return "MCP is spoken at /mcp."
}

// refuse answers with nothing but the error, in the form that results of tools have it too.
func refuse(w http.ResponseWriter, status int, err *schemas.Error) {
	content, broken := json.Marshal(err)
	if broken != nil {
		content = []byte("{}")
	}
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(err.RetryAfter))
	}
	answer(w, status, content)
}

func answer(w http.ResponseWriter, status int, content []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(content, '\n')) //nolint:gosec // it is no page, and nosniff keeps it from being one
}
