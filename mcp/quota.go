package mcp

import (
	"sync"
	"time"

	"handoff/schemas"
)

// quota counts what is open, so that one client cannot take everything.
type quota struct {
	Bound

	mu   sync.Mutex // guards the fields below
	all  int
	each map[string]int // by bearer token
}

// take counts one more of a token until release is called, or tells that there are too many.
func (q *quota) take(token string) (release func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all >= q.All || q.each[token] >= q.Each {
		return nil, false
	}
	if q.each == nil {
		q.each = map[string]int{}
	}
	q.all++
	q.each[token]++
	return func() { q.give(token) }, true
}

func (q *quota) give(token string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.each[token]--; q.each[token] == 0 {
		delete(q.each, token)
	}
}

// full is the answer to one too many.
func (q *quota) full(what string) *schemas.Error {
	return schemas.Errorf(schemas.Limit, "there are too many %s: at most %d of one token, %d in all", what, q.Each, q.All).
		WithHint("Nothing was done. End some, or try again in a few seconds.").After(5 * time.Second)
}
