package calls

import (
	"errors"
	"time"
)

// ErrExited is the error of all calls in a transaction if the function of one call ended its goroutine.
var ErrExited = errors.New("a function given to the store ended the goroutine that ran it: nothing was changed")

// Writer is the part of a driver that commits. Its methods run on one goroutine, which is another one after the
// function of a call ended it, as testing.T.FailNow does.
type Writer interface {
	Begin()              // comes first on each goroutine
	Commit()             // runs calls of the batch in one commit, and answers them with [Queue.AnswerBatch]
	Rest() time.Duration // comes after a time without calls; it returns the time until the next Rest, 0 for none
	End() error          // comes after the last call; [Queue.Close] returns its error
}

// Run answers the calls of the queue with w in a new goroutine, until the queue is closed. Idle is the time
// until the first Rest.
func (q *Queue) Run(w Writer, idle time.Duration) {
	go func() {
		ended := false
		defer func() {
			if !ended {
				q.Run(w, idle)
			}
		}()
		w.Begin()
		q.loop(w, idle)
		q.result = w.End()
		close(q.stopped)
		ended = true
	}()
}

func (q *Queue) loop(w Writer, idle time.Duration) {
	rest := time.NewTimer(idle)
	defer rest.Stop()
	for {
		for q.fillBatch() {
			w.Commit()
			rest.Reset(idle)
		}
		if q.isDrained() {
			return
		}
		select {
		case <-q.ready:
		case <-rest.C:
			if pause := w.Rest(); pause > 0 {
				rest.Reset(pause)
			}
		}
	}
}

// AnswerBatch answers the first n calls of the batch. If err is not nil, each gets err, otherwise each gets its own
// outcome. The other calls stay in the batch.
func (q *Queue) AnswerBatch(n int, err error) {
	for _, c := range q.Batch[:n] {
		if err != nil {
			c.Err = err
		}
		c.done <- c.Err
	}
	left := copy(q.Batch, q.Batch[n:])
	clear(q.Batch[left:])
	q.Batch, q.last = q.Batch[:left], n
}
