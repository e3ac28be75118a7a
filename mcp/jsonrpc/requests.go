package jsonrpc

import (
	"context"
	"sync"
)

// Request is a request without a response so far.
type Request struct {
	Message
	Context context.Context // done when the request was cancelled or has its response

	cancel    context.CancelFunc
	cancelled bool
}

// Requests are the requests of one client without a response so far, by their ids as the client wrote them. The zero
// value has none. It is safe for use by many goroutines.
type Requests struct {
	mu   sync.Mutex // guards the field below, and cancelled of each request
	open map[string]*Request
}

// Track makes a request known: from here on [Requests.Cancel] finds it. Its context ends with ctx. The caller calls
// [Requests.Untrack] once.
func (q *Requests) Track(ctx context.Context, m Message) *Request {
	ctx, cancel := context.WithCancel(ctx)
	r := &Request{Message: m, Context: ctx, cancel: cancel}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]*Request{}
	}
	q.open[string(m.ID)] = r
	return r
}

// Untrack ends a request and reports whether it was cancelled. From here on it cannot be cancelled.
func (q *Requests) Untrack(r *Request) (cancelled bool) {
	r.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open[string(r.ID)] == r { // else a later request has the same id
		delete(q.open, string(r.ID))
	}
	return r.cancelled
}

// Cancel cancels the request of an id. It does nothing when there is none.
func (q *Requests) Cancel(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r, ok := q.open[id]; ok {
		r.cancelled = true
		r.cancel()
	}
}

// Len is how many requests there are.
func (q *Requests) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open)
}
