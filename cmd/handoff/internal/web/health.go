package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"handoff/schemas"
)

// healthy says that the process answers, and nothing else.
func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok\n")
}

const (
	askingTakes = 2 * time.Second // at most
	answerLasts = time.Second
)

// A readiness asks whether the server can do its work, and keeps the answer for a while: however many ask, also
// without a token, it costs no more than one question at a time.
type readiness struct {
	check func(context.Context) error
	log   *slog.Logger
	now   func() time.Time

	mu      sync.Mutex // guards the fields below
	last    *question
	unready bool // by the last answer
}

// A question is one call of check. Its answer is there when done is closed.
type question struct {
	done chan struct{}
	err  error
	at   time.Time
}

func newReadiness(c Config) *readiness { return &readiness{check: c.Ready, log: c.Logger, now: c.Now} }

// ServeHTTP says which code of error there was, and no more: whoever asks need not be known.
func (r *readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	err := r.ask(req.Context())
	switch {
	case err == nil:
		answer(w, http.StatusOK, []byte(`{"ready":true}`))
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		answer(w, http.StatusServiceUnavailable, []byte(`{"ready":false,"reason":"timeout"}`))
	default:
		answer(w, http.StatusServiceUnavailable, []byte(`{"ready":false,"reason":"`+string(schemas.AsError(err).Code)+`"}`))
	}
}

func (r *readiness) ask(ctx context.Context) error {
	if r.check == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askingTakes)
	defer cancel()
	q := r.question(ctx)
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// question is the last one while it is new enough, else a new one. One that has no answer is not asked again.
func (r *readiness) question(ctx context.Context) *question {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q := r.last; q != nil {
		select {
		case <-q.done:
			if r.now().Sub(q.at) < answerLasts {
				return q
			}
		default:
			return q
		}
	}
	q := &question{done: make(chan struct{})}
	r.last = q
	// It is the question of all who come meanwhile, so it does not end with the request that asked first. That
	// nobody waits for it in the end is meant: a store that hangs must not hold up whoever looks at it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askingTakes)
	go func() {
		defer cancel()
		q.err = r.check(ctx)
		q.at = r.now()
		r.changed(q.err)
		close(q.done)
	}()
	return q
}

// changed logs what a probe is not told.
func (r *readiness) changed(err error) {
	r.mu.Lock()
	was := r.unready
	r.unready = err != nil
	r.mu.Unlock()
	switch {
	case err != nil && !was:
		r.log.Warn("not ready", slog.Any("error", err))
	case err == nil && was:
		r.log.Info("ready again")
	}
}

// metrics writes the metrics for whoever may read them.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if s.config.MetricsAllowed != nil {
		if err := s.config.MetricsAllowed(r); err != nil {
			s.refuseMetrics(w, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	ctx, cancel := context.WithTimeout(r.Context(), s.config.Limits.Answer)
	defer cancel()
	s.config.Metrics(ctx, w)
}

func (s *Server) refuseMetrics(w http.ResponseWriter, err error) {
	e := schemas.AsError(err)
	status := schemas.Codes[e.Code].HTTP
	value, unauthorized := s.config.Challenge(err)
	if unauthorized {
		status = http.StatusUnauthorized
	}
	if value != "" {
		w.Header().Set("WWW-Authenticate", value)
	}
	refuse(w, status, e)
}
