package web

import (
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

// Note adds attributes to the line that the access log will have of a request, by its context, in the place of those
// of the same name. It does nothing for other contexts. What is secret does not belong there.
func Note(ctx context.Context, attrs ...slog.Attr) {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, a := range attrs {
			n.attrs = append(slices.DeleteFunc(n.attrs, func(old slog.Attr) bool { return old.Key == a.Key }), a)
		}
	}
}

type noteKey struct{}

// A note is what is known of a request beside its answer.
type note struct {
	mu    sync.Mutex // guards the fields below
	path  string     // in the table of routes: any other may hold whatever a client wrote there
	attrs []slog.Attr
}

func noteRoute(r *http.Request, path string) {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.path = path
	}
}

// logged writes a line for each request when it ends: for people what was refused, the rest for whoever looks
// for an error. It has neither query nor headers nor bodies. A handler that panics is an error of the server.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, n, out := s.config.Now(), &note{}, &recorder{ResponseWriter: w}
		ctx := context.WithValue(r.Context(), noteKey{}, n)
		defer func() {
			half := false
			if broken := recover(); broken != nil {
				half = s.broke(ctx, out, broken)
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			s.config.Logger.LogAttrs(ctx, level(out.status), "request", append([]slog.Attr{
				slog.String("method", schemas.Clip(r.Method, 16)), slog.String("path", n.path), slog.Int("status", out.status),
				slog.String("took", s.config.Now().Sub(start).Round(time.Microsecond).String()), slog.String("remote", r.RemoteAddr),
			}, n.attrs...)...)
			if half {
				panic(http.ErrAbortHandler) // the server cuts the connection, and says nothing
			}
		}()
		next.ServeHTTP(out, r.WithContext(ctx))
		if out.status == 0 {
			out.status = http.StatusOK // so the server says
		}
	})
}

// broke logs a panic, but for the one with which a handler cuts its answer short. It tells whether there is half
// an answer, which must not pass for a whole one.
func (s *Server) broke(ctx context.Context, out *recorder, broken any) (half bool) {
	if err, ok := broken.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	s.config.Logger.ErrorContext(ctx, "handler broke", slog.Any("panic", broken), slog.String("stack", string(debug.Stack())))
	if out.status != 0 {
		return true
	}
	refuse(out, http.StatusInternalServerError, schemas.InternalError(nil))
	return false
}

func level(status int) slog.Level {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// A recorder keeps the status of an answer, and is in the way of nothing that a writer can do.
type recorder struct {
	http.ResponseWriter
	status int // zero until it is sent
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

func (r *recorder) Flush() { _ = r.FlushError() }

// FlushError is what a [http.ResponseController] calls.
func (r *recorder) FlushError() error {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return http.NewResponseController(r.ResponseWriter).Flush()
}
