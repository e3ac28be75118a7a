package mcp

import (
	"sync"
	"time"

	"handoff/schemas"
)

// quota counts what is open, so that one client cannot take everything.
type quota struct {
	Bound
	what string // is counted

	mu   sync.Mutex // guards the fields below
	all  int
	each map[string]int // by bearer token
}

// take counts n more of a token until release is called, or refuses because there are too many.
func (q *quota) take(token string, n int) (release func(), full *schemas.Error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all+n > q.All || q.each[token]+n > q.Each {
		return nil, q.full(q.what)
	}
	if q.each == nil {
		q.each = map[string]int{}
	}
	q.all += n
	q.each[token] += n
	return func() { q.give(token, n) }, nil
}

func (q *quota) give(token string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all -= n
	if q.each[token] -= n; q.each[token] == 0 {
		delete(q.each, token)
	}
}

// full is the answer to one too many.
func (b Bound) full(what string) *schemas.Error {
	return schemas.Errorf(schemas.Limit, "there are too many %s: at most %d of one token, %d in all", what, b.Each, b.All).
		WithHint("Nothing was done. End some, or try again in a few seconds.").After(5 * time.Second)
}
