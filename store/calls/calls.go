// Package calls has the parts that drivers with one writer have in common. Calls of Update wait in a [Queue], and the
// writer runs all waiting calls in one commit.
package calls

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"handoff/store"
)

// Call is one call of Update.
type Call struct {
	Fn   func(store.Writer) error
	Sync bool  // it needs a commit although it writes nothing
	Err  error // the result of Fn; set and read by the writer

	taken atomic.Bool
	done  chan error
}

// New returns a call of Update with a function.
func New(fn func(store.Writer) error) *Call { return &Call{Fn: fn, done: make(chan error, 1)} }

// TryTake decides between the writer, which wants to run the call, and the caller, which wants to withdraw the call.
// Both call TryTake, and only the first gets true.
func (c *Call) TryTake() bool { return c.taken.CompareAndSwap(false, true) }

// Answer sends the outcome to the caller. It is called once.
func (c *Call) Answer(err error) { c.done <- err }

// Wait waits for the outcome and returns it.
func (c *Call) Wait() error { return <-c.done }

// Queue holds the calls that the writer has not taken yet. Use [NewQueue].
type Queue struct {
	Ready chan struct{} // holds a value when there may be a new call

	mu      sync.Mutex // guards the fields below
	waiting []*Call
	closed  bool

	size atomic.Int64 // len(waiting), for reads without the lock
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{Ready: make(chan struct{}, 1)} }

// Submit puts a call into the queue and waits for its outcome. If ctx is done before the writer takes the call, Submit
// withdraws the call and returns the error of ctx. The error is [store.ErrClosed] if the queue is closed.
func (q *Queue) Submit(ctx context.Context, c *Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !q.add(c) {
		return store.ErrClosed
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		if c.TryTake() {
			return ctx.Err()
		}
		return <-c.done
	}
}

// add appends a call. It reports false if the queue is closed.
func (q *Queue) add(c *Call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, c)
	q.size.Add(1)
	q.wakeWriter()
	return true
}

// FillBatch moves calls from the front of the queue to the end of a batch, until the batch has `most` calls. If the
// last commit had several calls, FillBatch first waits until batch and queue have `last` calls together, but no longer
// than wait. Callers that got an answer often call again at once, and one commit for all is much cheaper than two.
func (q *Queue) FillBatch(batch []*Call, most, last int, wait time.Duration) []*Call {
	if last > 1 {
		q.waitForCalls(last-len(batch), wait)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(most-len(batch), len(q.waiting))
	batch = append(batch, q.waiting[:n]...)
	left := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[left:])
	q.waiting = q.waiting[:left]
	q.size.Store(int64(left))
	return batch
}

// waitForCalls waits until the queue has at least `calls` calls, but no longer than the time `most`. It yields to other
// goroutines in a loop, because a timer alone would sleep for a millisecond.
func (q *Queue) waitForCalls(calls int, most time.Duration) {
	const turns = 10_000 // more than fit in the time; ends the loop in tests where time stands still
	over := time.NewTimer(most)
	defer over.Stop()
	for range turns {
		if q.Len() >= calls {
			return
		}
		select {
		case <-over.C:
			return
		default:
			runtime.Gosched()
		}
	}
}

// Len returns the number of waiting calls.
func (q *Queue) Len() int { return int(q.size.Load()) }

// Close refuses further calls.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wakeWriter()
}

// IsDrained reports whether the queue is closed and empty.
func (q *Queue) IsDrained() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}

func (q *Queue) wakeWriter() {
	select {
	case q.Ready <- struct{}{}:
	default: // the writer has not yet received the last value
	}
}
