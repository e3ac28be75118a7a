package web

import "net/http"

// What pages of allowed origins may send and read.
const (
	corsMethods = "POST, GET, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, " +
		"Last-Event-ID, Handoff-Agent, traceparent"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	corsMaxAge  = "600" // seconds
)

// allowOrigins tells browsers that pages of the configured origins may read the responses. It comes after protect,
// which refused all other origins. It responds to preflight requests itself, because browsers send them without a
// token.
func (g *guard) allowOrigins(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(g.origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		given := r.Header.Get("Origin")
		if from, ok := origin(given); !ok || !g.origins[from] {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", given)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			w.Header().Set("Access-Control-Expose-Headers", corsExposed)
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Methods", corsMethods)
		w.Header().Set("Access-Control-Allow-Headers", corsHeaders)
		w.Header().Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}
