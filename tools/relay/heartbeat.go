package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A process that was stopped, as by Ctrl-Z, keeps the lock, and its socket still accepts requests. Other processes
// notice a stopped owner only because it does not answer. So while calls wait for an owner, their process asks the
// owner for its note every second. A running owner answers at once, whatever it is doing.
const (
	checkInterval = time.Second
	answerTimeout = 2 * time.Second
	maxProbes     = 2 // number of tries: on a busy machine a working owner may answer late
)

// stalledError is the error for an owner that does not answer. It is the cause with which the route ends, so every call
// on the route gets it.
type stalledError struct{ note Note }

func (s *stalledError) Error() string { return fmt.Sprintf("process %d does not answer", s.note.PID) }

// isStalled reports whether ctx ended because the owner does not answer.
func isStalled(ctx context.Context) bool {
	_, ok := errors.AsType[*stalledError](context.Cause(ctx))
	return ok
}

// trackCall counts a call as waiting until the returned function is called.
func (c *client) trackCall() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	if !c.watched {
		c.watched = true
		time.AfterFunc(checkInterval, c.watchOwner)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waiting--
	}
}

// watchOwner asks the owner for its note at intervals, as long as calls wait. If the owner does not answer, the route
// is lost. A call notices a stopped owner after four to five seconds: up to one second until the first request, and
// then two requests of two seconds each. It notices an owner that has ended at once, because the socket breaks.
func (c *client) watchOwner() {
	c.mu.Lock()
	c.watched = c.waiting > 0 && !c.route.isLost()
	watched := c.watched
	c.mu.Unlock()
	if !watched {
		return
	}
	if err := c.probePatiently(); err != nil {
		c.route.lose(err)
		return
	}
	time.AfterFunc(checkInterval, c.watchOwner)
}

func (c *client) probePatiently() (err error) {
	for range maxProbes {
		_, err = c.probe(c.route.life)
		if _, late := errors.AsType[*stalledError](err); !late {
			return err
		}
	}
	return err
}

// probe asks the owner for its note. The error is *stalledError if the owner does not answer in time. It is errMoved if
// no process listens at the address, or if another process answers.
func (c *client) probe(ctx context.Context) (n Note, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTimeout, &stalledError{c.note})
	defer cancel()
	rs, err := c.request(ctx, http.MethodGet, pathOwner, nil)
	if err == nil {
		defer rs.Body.Close()
		err = json.NewDecoder(rs.Body).Decode(&n)
	}
	switch {
	case err == nil && rs.StatusCode == statusDone && n.isSameOwner(c.note):
		return n, nil
	case isStalled(ctx):
		return n, context.Cause(ctx)
	}
	return n, errMoved
}
