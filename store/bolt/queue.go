package bolt

import (
	"sync"
	"sync/atomic"

	"handoff/store"
)

// request is one call of Update in line.
type request struct {
	fn         func(store.Writer) error
	checkpoint bool // write the list of free pages with it
	taken      atomic.Bool
	err        error      // how fn ended; set and read by the writer
	done       chan error // receives the outcome, once
}

func newRequest(fn func(store.Writer) error) *request {
	return &request{fn: fn, done: make(chan error, 1)}
}

// take decides whose r is: the writer's, who then runs and answers it, or its
// caller's, who then gave up. Only the first to ask is told true.
func (r *request) take() bool { return r.taken.CompareAndSwap(false, true) }

// queue is the line in front of the writer.
type queue struct {
	ready chan struct{} // holds a value when there may be something new

	mu      sync.Mutex // guards the fields below
	waiting []*request
	closed  bool

	size atomic.Int64 // len(waiting), to be read without the lock
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// add puts r at the end, unless the line is closed.
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

// next moves up to n requests from the front of the line to the end of batch.
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

// close lets nobody join the line any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// ended tells whether nobody waits and nobody ever will.
func (q *queue) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default: // the writer has not yet seen the last one
	}
}
