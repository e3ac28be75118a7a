// Package calls has the parts that drivers with one writer have in common. Calls of Update wait in a [Queue], and the
// writer runs all waiting calls in one commit.
package calls

import (
	"context"
	"errors"
	"log/slog"
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

// Wait waits for the outcome and returns it.
func (c *Call) Wait() error { return <-c.done }

// Queue holds the calls that the writer has not answered yet. Use [NewQueue].
type Queue struct {
	Batch   []*Call // taken by the writer, which alone uses it
	last    int     // number of calls in the last commit
	log     *slog.Logger
	ready   chan struct{} // holds a value when there may be a new call
	stopped chan struct{} // closed when the writer has ended
	result  error         // of [Writer.End]; set before stopped is closed

	mu      sync.Mutex // guards the fields below
	waiting []*Call
	closed  bool

	size atomic.Int64 // len(waiting), for reads without the lock
}

// NewQueue returns an empty queue. It logs panics of calls.
func NewQueue(log *slog.Logger) *Queue {
	return &Queue{log: log, ready: make(chan struct{}, 1), stopped: make(chan struct{})}
}

// Update runs fn as [store.Backend].Update does.
func (q *Queue) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := q.Submit(ctx, New(fn))
	if p, ok := errors.AsType[*store.Panic](err); ok {
		q.log.ErrorContext(ctx, "a function given to the store panicked", slog.Any("value", p.Value), slog.String("stack", string(p.Stack)))
	}
	return err
}

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

const maxCalls = 512 // of one commit

// fillBatch moves calls from the front of the queue to the end of the batch, and reports whether the batch has calls.
// If the last commit had several calls, fillBatch first waits until batch and queue have as many together, but no
// longer than [groupWait]. Callers that got an answer often call again at once, and one commit for all is much cheaper
// than two.
func (q *Queue) fillBatch() bool {
	if len(q.Batch)+q.len() == 0 {
		return false
	}
	if q.last > 1 {
		q.waitForCalls(q.last - len(q.Batch))
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(maxCalls-len(q.Batch), len(q.waiting))
	q.Batch = append(q.Batch, q.waiting[:n]...)
	left := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[left:])
	q.waiting = q.waiting[:left]
	q.size.Store(int64(left))
	return true
}

const groupWait = 200 * time.Microsecond

// waitForCalls waits until the queue has at least `calls` calls, but no longer than [groupWait]. It yields to other
// goroutines in a loop, because a timer alone would sleep for a millisecond.
func (q *Queue) waitForCalls(calls int) {
	const turns = 10_000 // more than fit in the time; ends the loop in tests where time stands still
	over := time.NewTimer(groupWait)
	defer over.Stop()
	for range turns {
		if q.len() >= calls {
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

// len returns the number of waiting calls.
func (q *Queue) len() int { return int(q.size.Load()) }

// Close refuses further calls, and waits until the writer has ended. It may be called twice, and returns the same error
// again.
func (q *Queue) Close() error {
	q.mu.Lock()
	q.closed = true
	q.wakeWriter()
	q.mu.Unlock()
	<-q.stopped
	return q.result
}

// isDrained reports whether the queue is closed and empty.
func (q *Queue) isDrained() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}

func (q *Queue) wakeWriter() {
	select {
	case q.ready <- struct{}{}:
	default: // the writer has not yet received the last value
	}
}
