package mcp

import (
	"sync"
	"time"

	"handoff/schemas"
)

// quota counts what clients use, so that one client cannot use all of it. It is safe for use by many goroutines.
type quota struct {
	Bound
	what string // of what is counted, for errors

	mu   sync.Mutex // guards the fields below
	all  int
	each map[string]int // by bearer token
}

func newQuota(what string, b Bound) *quota {
	return &quota{Bound: b, what: what, each: map[string]int{}}
}

// acquire counts n more for a token, until the caller calls release with the same numbers. The error is [schemas.Limit]
// when there are too many; then nothing was counted.
func (q *quota) acquire(token string, n int) *schemas.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all+n > q.All || q.each[token]+n > q.Each {
		return q.full(q.what)
	}
	q.all += n
	q.each[token] += n
	return nil
}

func (q *quota) release(token string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all -= n
	if q.each[token] -= n; q.each[token] == 0 {
		delete(q.each, token)
	}
}

// full is the error of a request for more than there may be.
func (b Bound) full(what string) *schemas.Error {
	const said = "there are too many %s: at most %d of one token, %d in all"
	return schemas.Errorf(schemas.Limit, said, what, b.Each, b.All).
		WithHint("Nothing was done. End some, or try again in a few seconds.").After(5 * time.Second)
}
