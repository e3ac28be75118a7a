package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"handoff/schemas"
)

const (
	pathMCP      = "/mcp"
	pathRooms    = "/w/"
	pathNodes    = "/node/"
	pathMetadata = "/.well-known/oauth-protected-resource"
)

// A route is the handler of a path, with the HTTP methods that it accepts.
type route struct {
	handler http.Handler
	methods []string
}

// routes returns the table of all served paths.
func (s *Server) routes() http.Handler {
	read := []string{http.MethodGet, http.MethodHead}
	speak := []string{http.MethodPost, http.MethodGet, http.MethodDelete}
	table := routeTable{
		"/healthz":             {http.HandlerFunc(handleHealth), read},
		"/readyz":              {&readinessCheck{config: s.config}, read},
		"/metrics":             {s.config.Metrics, read},
		pathMCP:                {s.config.MCP, speak},
		pathRooms:              {s.config.Rooms, speak},
		pathMetadata:           {s.config.Metadata, read},
		pathMetadata + pathMCP: {s.config.Metadata, read},
	}
	maps.DeleteFunc(table, func(_ string, r route) bool { return r.handler == nil })
	return table
}

// separateNodeRequests passes requests of other nodes of a cluster directly to their handler. The checks and limits for
// clients do not apply to nodes.
func (s *Server) separateNodeRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.config.Nodes != nil && strings.HasPrefix(r.URL.Path, pathNodes) {
			s.config.Nodes.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type routeTable map[string]route

func (t routeTable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.HasPrefix(path, pathRooms) {
		path = pathRooms
	}
	found, ok := t[path]
	switch {
	case !ok:
		writeError(w, http.StatusNotFound, schemas.Errorf(schemas.NotFound, "nothing is served here").
			WithHint("%s", hintForPath(r.URL.Path)))
	case !slices.Contains(found.methods, r.Method):
		setLogRoute(r, path)
		w.Header().Set("Allow", strings.Join(found.methods, ", "))
		writeError(w, http.StatusMethodNotAllowed, schemas.Errorf(schemas.Invalid, "%s takes only %s",
			r.URL.Path, strings.Join(found.methods, ", ")))
	default:
		setLogRoute(r, path)
		found.handler.ServeHTTP(w, r)
	}
}

func hintForPath(path string) string {
	switch {
	case strings.TrimRight(path, "/") == pathMCP:
		return "MCP is spoken at /mcp, without a slash at the end."
	case path == "/register" || strings.HasPrefix(path, "/.well-known/"): // clients without a token look here
		return "Nobody signs in here. Send a token, which handoff token add makes, in the header Authorization."
	}
	return "MCP is spoken at /mcp."
}

// writeError writes an error as the response, in the form that errors have in results of tools.
func writeError(w http.ResponseWriter, status int, err *schemas.Error) {
	content, _ := json.Marshal(err) // texts and numbers can be encoded
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

// handleHealth responds that the process runs, and checks nothing.
func handleHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok\n")
}

const (
	probeTimeout = 2 * time.Second
	probeTTL     = time.Second // for which a result is used again
)

// readinessCheck checks whether the server can do its work, and keeps the result for a second. Requests for it need no
// token. So it makes only one check at a time, for any number of requests.
type readinessCheck struct {
	config Config

	checks    singleflight.Group // runs check, the only user of the fields below
	checkedAt time.Time          // when the last check ended; zero before the first
	lastErr   error              // its result
}

// ServeHTTP responds with the code of the error only, because callers without a token may ask.
func (r *readinessCheck) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	err := r.waitForCheck(req.Context())
	if err == nil {
		writeJSON(w, http.StatusOK, []byte(`{"ready":true}`))
		return
	}
	reason := string(schemas.AsError(err).Code)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		reason = "timeout"
	}
	writeJSON(w, http.StatusServiceUnavailable, []byte(`{"ready":false,"reason":"`+reason+`"}`))
}

func (r *readinessCheck) waitForCheck(ctx context.Context) error {
	if r.config.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	// Concurrent requests share one check, so the check does not end with the first request. Each request waits only
	// until its own deadline, even if the store hangs.
	shared := context.WithoutCancel(ctx)
	select {
	case result := <-r.checks.DoChan("", func() (any, error) { return nil, r.check(shared) }):
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// check returns the last result if it is at most a second old, and otherwise makes a new check. When the result
// changes, it logs the error, because the response does not contain the error text.
func (r *readinessCheck) check(ctx context.Context) error {
	if !r.checkedAt.IsZero() && r.config.Now().Sub(r.checkedAt) < probeTTL {
		return r.lastErr
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := r.config.Ready(ctx)
	switch {
	case err != nil && r.lastErr == nil:
		r.config.Logger.Warn("not ready", slog.Any("error", err))
	case err == nil && r.lastErr != nil:
		r.config.Logger.Info("ready again")
	}
	r.checkedAt, r.lastErr = r.config.Now(), err
	return err
}

// WriteRefusal writes an error as the response. Challenge returns the status. If the client should send another token,
// Challenge also sets the header WWW-Authenticate.
func WriteRefusal(w http.ResponseWriter, err error, challenge func(http.Header, error) (status int)) {
	writeError(w, challenge(w.Header(), err), schemas.AsError(err))
}
