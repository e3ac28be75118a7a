package mcp

import (
	"context"

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

// answer does what a request asks. The protocol forbids an answer to one that was cancelled.
func (c *conn) answer(r *request) reply {
	var taken claim
	said := c.server.handle(context.WithValue(r.ctx, claimKey{}, &taken), r.text)
	if c.untrack(r) {
		return reply{undo: taken.giveBack}
	}
	return reply{message: r.answered(said), undo: taken.giveBack}
}

// decline answers a request that is not looked at any more.
func (c *conn) decline(r *request) reply {
	if c.untrack(r) {
		return reply{}
	}
	e := schemas.Errorf(schemas.Unavailable, "the server is ending").WithHint("Nothing was done. Repeat the call when it is back.")
	refused := r.refuse(sdk.INTERNAL_ERROR, "%s", e.Message)
	refused.Error.Data = e
	return reply{message: *refused}
}

func (c *conn) track(ctx context.Context, m message) *request {
	ctx, cancel := context.WithCancel(ctx)
	r := &request{message: m, ctx: ctx, cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight[string(m.ID)] = r
	return r
}

// untrack ends a request and tells whether it was cancelled. From here on it cannot be.
func (c *conn) untrack(r *request) (cancelled bool) {
	r.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[string(r.ID)] == r { // not one that reused the id
		delete(c.inFlight, string(r.ID))
	}
	return r.cancelled
}

func (c *conn) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.inFlight[id]; ok {
		r.cancelled = true
		r.cancel()
	}
}

func (c *conn) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inFlight)
}
