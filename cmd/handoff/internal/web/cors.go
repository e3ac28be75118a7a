package web

import "net/http"

// What pages of other origins may send and read, when they may call at all.
const (
	corsMethods = "POST, GET, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, " +
		"Last-Event-ID, Handoff-Agent, traceparent"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	corsMaxAge  = "600" // seconds
)

// share tells browsers that pages of the origins that were let in by name may read the answers. It comes after
// keep, which turned away all others, and answers their question in advance itself, because browsers put no
// token on it.
func (g *guard) share(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(g.origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		said := r.Header.Get("Origin")
		if from, ok := origin(said); !ok || !g.origins[from] {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", said)
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
