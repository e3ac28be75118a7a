package bolt

import (
	"sync"
	"sync/atomic"

	"handoff/store"
)

// request is one call of Update in the queue.
type request struct {
	fn         func(store.Writer) error
	checkpoint bool // write the list of free pages with it
	taken      atomic.Bool
	err        error      // of fn; set and read by the writer
	done       chan error // receives the outcome, once
}

func newRequest(fn func(store.Writer) error) *request {
	return &request{fn: fn, done: make(chan error, 1)}
}

// newCheckpoint is a request that writes the list of free pages and nothing else.
func newCheckpoint() *request {
	r := newRequest(func(store.Writer) error { return nil })
	r.checkpoint = true
	return r
}

// take decides whether the writer runs r, or its caller gave up. Only the first of the two that asks gets true. The
// writer then runs and answers r.
func (r *request) take() bool { return r.taken.CompareAndSwap(false, true) }

// queue holds the requests that the writer has not yet taken.
type queue struct {
	ready chan struct{} // holds a value when there may be a new request

	mu      sync.Mutex // guards the fields below
	waiting []*request
	closed  bool

	size atomic.Int64 // len(waiting), for reads without the lock
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// add puts r at the end, and reports whether it did: not when the queue is closed.
func (q *queue) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, r)
	q.size.Add(1)
	q.wake()
	return true
}

// next moves up to n requests from the front of the queue to the end of batch.
func (q *queue) next(batch []*request, n int) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.waiting))
	batch = append(batch, q.waiting[:n]...)
	left := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[left:])
	q.waiting = q.waiting[:left]
	q.size.Store(int64(left))
	return batch
}

// len is how many wait.
func (q *queue) len() int { return int(q.size.Load()) }

// close lets no request be added any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// ended reports whether there is no request and never will be.
func (q *queue) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default: // the writer has not yet received the last value
	}
}
