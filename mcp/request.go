package mcp

import (
	"context"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// request is one that was not answered yet.
type request struct {
	message
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled bool
}

// reply is what is said to a request.
type reply struct {
	message sdk.JSONRPCMessage // nil when nothing may be said
	undo    func()             // takes back what nobody knows of when it does not arrive; nil for most
}

// lose is called for a reply that does not arrive.
func (r reply) lose() {
	if r.undo != nil {
		r.undo()
	}
}

// requests are those of one client that were not answered yet, by their ids as the client spelled them.
type requests struct {
	mu   sync.Mutex // guards the field below, and in each request whether it was cancelled
	open map[string]*request
}

// track makes a request known, so that from here on it can be cancelled.
func (q *requests) track(ctx context.Context, m message) *request {
	ctx, cancel := context.WithCancel(ctx)
	r := &request{message: m, ctx: ctx, cancel: cancel}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]*request{}
	}
	q.open[string(m.ID)] = r
	return r
}

// untrack ends a request and tells whether it was cancelled. From here on it cannot be.
func (q *requests) untrack(r *request) (cancelled bool) {
	r.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open[string(r.ID)] == r { // not one that reused the id
		delete(q.open, string(r.ID))
	}
	return r.cancelled
}

func (q *requests) cancel(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r, ok := q.open[id]; ok {
		r.cancelled = true
		r.cancel()
	}
}

func (q *requests) unanswered() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open)
}

// answer does what a request asks. The protocol forbids an answer to one that was cancelled.
func (s *Server) answer(q *requests, r *request) reply {
	var taken claim
	said := s.handle(context.WithValue(r.ctx, claimKey{}, &taken), r.text)
	if q.untrack(r) {
		return reply{undo: taken.giveBack}
	}
	return reply{message: r.answered(said), undo: taken.giveBack}
}

// decline answers a request that is not looked at any more.
func (q *requests) decline(r *request) reply {
	if q.untrack(r) {
		return reply{}
	}
	e := schemas.Errorf(schemas.Unavailable, "the server is ending").WithHint("Nothing was done. Repeat the call when it is back.")
	refused := r.refuse(sdk.INTERNAL_ERROR, "%s", e.Message)
	refused.Error.Data = e
	return reply{message: *refused}
}
