package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// AddLogAttributes adds attributes to the line of a request in the access log. Ctx must be the context of the request.
// For other contexts AddLogAttributes does nothing. An attribute replaces an earlier attribute with the same key.
// Callers must not add secrets.
func AddLogAttributes(ctx context.Context, attrs ...slog.Attr) {
	if n, ok := ctx.Value(logFactsKey{}).(*logFacts); ok {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, a := range attrs {
			n.attrs = append(slices.DeleteFunc(n.attrs, func(old slog.Attr) bool { return old.Key == a.Key }), a)
		}
	}
}

type logFactsKey struct{}

// logFacts holds the facts for a line of the access log that do not come from the response.
type logFacts struct {
	mu    sync.Mutex // guards the fields below
	path  string     // of a route; empty for a path without a route, because a client may write any text there
	attrs []slog.Attr
}

func setLogRoute(r *http.Request, path string) {
	if n, ok := r.Context().Value(logFactsKey{}).(*logFacts); ok {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.path = path
	}
}

// logRequests logs each request when the request ends. Refused requests have level info, and all other requests have
// level debug. The line has no query, no headers and no body. If a handler panics, logRequests responds with an
// internal error.
func (s *Server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, n, out := s.config.Now(), &logFacts{}, &statusRecorder{ResponseWriter: w}
		ctx := context.WithValue(r.Context(), logFactsKey{}, n)
		defer func() {
			half := false
			if broken := recover(); broken != nil {
				half = s.handlePanic(ctx, out, broken)
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			s.config.Logger.LogAttrs(ctx, logLevel(out.status), "request", append([]slog.Attr{
				slog.String("method", schemas.Clip(r.Method, 16)), slog.String("path", n.path),
				slog.Int("status", out.status),
				slog.String("took", s.config.Now().Sub(start).Round(time.Microsecond).String()),
				slog.String("remote", r.RemoteAddr),
			}, n.attrs...)...)
			if half {
				panic(http.ErrAbortHandler) // the server closes the connection and logs nothing
			}
		}()
		next.ServeHTTP(out, r.WithContext(ctx))
		out.status = cmp.Or(out.status, http.StatusOK) // the status that the server sends by default
	})
}

// handlePanic logs a panic, except for [http.ErrAbortHandler], with which a handler ends its response early. Half
// reports whether a part of the response was already sent. The client must not take this part for a whole response.
func (s *Server) handlePanic(ctx context.Context, out *statusRecorder, broken any) (half bool) {
	if err, ok := broken.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	s.config.Logger.ErrorContext(ctx, "handler broke",
		slog.Any("panic", broken), slog.String("stack", string(debug.Stack())))
	if out.status != 0 {
		return true
	}
	writeError(out, http.StatusInternalServerError, schemas.InternalError(nil))
	return false
}

func logLevel(status int) slog.Level {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// statusRecorder is a response writer that records the status. A [http.ResponseController] can reach the writer below
// it.
type statusRecorder struct {
	http.ResponseWriter
	status int // zero until it is sent
}

func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(p []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	return r.ResponseWriter.Write(p)
}
