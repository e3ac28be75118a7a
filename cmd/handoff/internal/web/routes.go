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

// A route is the handler of a path, and the methods that it takes.
type route struct {
	handler http.Handler
	methods []string
}

// routes is the table of all paths that are served.
func (s *Server) routes() http.Handler {
	read := []string{http.MethodGet, http.MethodHead}
	table := table{
		pathMCP:    {s.config.MCP, []string{http.MethodPost, http.MethodGet, http.MethodDelete}},
		"/healthz": {http.HandlerFunc(handleHealth), read},
		"/readyz":  {newReadiness(s.config), read},
	}
	if s.config.Metadata != nil {
		table[pathMetadata] = route{s.config.Metadata, read}
		table[pathMetadata+pathMCP] = table[pathMetadata]
	}
	if s.config.Metrics != nil {
		table["/metrics"] = route{http.HandlerFunc(s.handleMetrics), read}
	}
	return table
}

type table map[string]route

func (t table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := t[r.URL.Path]
	switch {
	case !ok:
		writeError(w, http.StatusNotFound, schemas.Errorf(schemas.NotFound, "nothing is served here").
			WithHint("%s", hintFor(r.URL.Path)))
	case !slices.Contains(found.methods, r.Method):
		noteRoute(r, r.URL.Path)
		w.Header().Set("Allow", strings.Join(found.methods, ", "))
		writeError(w, http.StatusMethodNotAllowed, schemas.Errorf(schemas.Invalid, "%s takes only %s",
			r.URL.Path, strings.Join(found.methods, ", ")))
	default:
		noteRoute(r, r.URL.Path)
		found.handler.ServeHTTP(w, r)
	}
}

func hintFor(path string) string {
	switch {
	case strings.TrimRight(path, "/") == pathMCP:
		return "MCP is spoken at /mcp, without a slash at the end."
	case path == "/register" || strings.HasPrefix(path, "/.well-known/"): // where clients look that have no token
		return "Nobody signs in here. Send a token, which handoff token add makes, in the header Authorization."
	}
	return "MCP is spoken at /mcp."
}

// writeError responds with an error, in the form that it also has in results of tools.
func writeError(w http.ResponseWriter, status int, err *schemas.Error) {
	content, broken := json.Marshal(err)
	if broken != nil {
		content = []byte("{}")
	}
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(err.RetryAfter))
	}
	writeJSON(w, status, content)
}

func writeJSON(w http.ResponseWriter, status int, content []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(content, '\n')) //nolint:gosec // it is no page, and nosniff says so
}
