package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"handoff/schemas"
)

// A process that was stopped, as by Ctrl-Z, keeps the lock and its socket takes what is sent. Only that it does
// not answer tells it from one that is at work. So while calls wait, the owner is asked once a second who it
// is, which it answers whatever else it does.
const (
	beat    = time.Second
	tooLong = 2 * time.Second
)

// silence is the error of an owner that is there and does not answer.
type silence struct{ pid int }

func (s *silence) Error() string { return fmt.Sprintf("process %d does not answer", s.pid) }

func (s *silence) explain(c Config) *schemas.Error {
	if n, ok := ReadNote(c.Dir); ok && !n.Lives() { // what does not answer is not it
		return nobodyServes(c)
	}
	return schemas.Errorf(schemas.Unavailable, "the handoff process that has workspace %s open (pid %d) does not answer", c.Name, s.pid).
		WithHint("It may be stopped: kill -CONT %d lets it go on, kill -KILL %d lets another take over. Nothing acknowledged is lost; "+
			"a call that it had begun may still take effect, so look before you repeat it.", s.pid, s.pid)
}

func silent(ctx context.Context) bool {
	_, ok := errors.AsType[*silence](context.Cause(ctx))
	return ok
}

// await counts a call that waits for an answer until the function that it gives is called.
func (c *client) await() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	if !c.watched {
		c.watched = true
		time.AfterFunc(beat, c.feel)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waiting--
	}
}

// feel looks whether the owner is alive, as long as calls wait for it.
func (c *client) feel() {
	c.mu.Lock()
	c.watched = c.waiting > 0 && !c.seat.lost()
	watched := c.watched
	c.mu.Unlock()
	if !watched {
		return
	}
	if _, err := c.greet(c.seat.over); err != nil {
		c.seat.lose(err)
		return
	}
	time.AfterFunc(beat, c.feel)
}

// greet asks who the owner is. Its errors are errMoved when it is not the one of the note, and *silence.
func (c *client) greet(ctx context.Context) (n Note, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, tooLong, &silence{c.note.PID})
	defer cancel()
	rs, err := c.request(ctx, http.MethodGet, pathOwner, nil)
	if err == nil {
		defer rs.Body.Close()
		err = json.NewDecoder(rs.Body).Decode(&n)
	}
	switch {
	case err == nil && rs.StatusCode == statusDone && n.PID == c.note.PID && n.Started.Equal(c.note.Started):
		return n, nil
	case silent(ctx):
		return n, context.Cause(ctx)
	}
	return n, errMoved
}
