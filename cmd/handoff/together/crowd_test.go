//go:build unix

package together_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"handoff/schemas"
)

// A crowd is a number of seats at which processes work: two teams that send each other handoffs and compete
// for those that come. When a process is killed, a fresh one takes its seat.
type crowd struct {
	place   *place
	history *history
	until   context.Context // done when nobody begins anything new
	stop    func()          // makes that now
	pace    time.Duration   // between the rounds of one lane
	rounds  int64           // of killing that there will be

	round atomic.Int64 // of killing
	tally tally
	gaps  gaps

	mu    sync.Mutex      // guards the fields below
	seats map[int]*client // by the id of the process that sits there
}

var teams = [2]string{"red", "blue"}

// A client is a process at its seat.
type client struct {
	*process
	crowd     *crowd
	number    int
	mine      string // the team's mailbox
	theirs    string
	since     int64 // the round in which it came
	pulse     pulse
	titles    atomic.Int64
	condemned atomic.Bool // it is being killed by us
}

// work keeps a seat taken until the time is over, and gives the last process there. Each process has two
// calls under way.
func (c *crowd) work(seat int) (*client, error) {
	for {
		s, err := c.sit(seat)
		if err != nil {
			return nil, err
		}
		var lanes sync.WaitGroup
		lanes.Go(func() { s.lane(s.sendFirst) })
		lanes.Go(func() { s.lane(s.waitFirst) })
		lanes.Wait()
		c.gaps.add(&s.pulse, s.since, c.rounds)
		if s.hears() {
			return s, nil // the time is over
		}
		if <-s.ended; !s.condemned.Load() {
			return nil, fmt.Errorf("%v ended by itself:\n%s", s, s.said())
		}
	}
}

func (c *crowd) sit(seat int) (*client, error) {
	s := &client{crowd: c, number: c.history.enter(), mine: teams[seat%2], theirs: teams[1-seat%2], since: c.round.Load()}
	process, err := c.place.begin("--agent", s.mine)
	if err != nil {
		return nil, err
	}
	s.process = process
	c.mu.Lock()
	c.seats[process.pid] = s
	c.mu.Unlock()
	if err := process.greet(c.place.ctx, "test"); err != nil && !s.condemned.Load() {
		return nil, fmt.Errorf("%v: %w\n%s", s, err, s.said())
	}
	return s, nil
}

// killOwner kills the process that owns the store. It tells whether that can be told just now.
func (c *crowd) killOwner() bool {
	s := c.leave(c.place.owner())
	if s == nil {
		return false
	}
	c.round.Add(1)
	s.killed()
	return true
}

// killGuest kills one of the others.
func (c *crowd) killGuest() bool {
	owner := c.place.owner()
	for pid := range c.sitting() {
		if pid == owner {
			continue
		}
		if s := c.leave(pid); s != nil {
			s.killed()
			return true
		}
	}
	return false
}

// leave takes a client from its seat, nil if it is not there any more.
func (c *crowd) leave(pid int) *client {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.seats[pid]
	delete(c.seats, pid)
	if s == nil || !s.alive() {
		return nil
	}
	return s
}

// sitting are the clients at their seats, in no order.
func (c *crowd) sitting() map[int]*client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.seats)
}

func (s *client) killed() {
	s.condemned.Store(true)
	s.crowd.history.dies(s.number)
	s.kill()
}

// lane does one round after the other until the process is gone or the time is over.
func (s *client) lane(round func() bool) {
	pace := time.NewTicker(s.crowd.pace)
	defer pace.Stop()
	for s.crowd.until.Err() == nil && round() {
		select {
		case <-pace.C:
		case <-s.ended:
			return
		}
	}
}

// sendFirst sends a handoff and works on the next one that is there.
func (s *client) sendFirst() bool { return s.sendOne() && s.workOn(0) }

// waitFirst waits for a handoff, works on it and sends one.
func (s *client) waitFirst() bool { return s.workOn(1) && s.sendOne() }

func (s *client) sendOne() bool {
	var out schemas.SendOut
	a := act{what: sending, title: fmt.Sprintf("%d-%d", s.number, s.titles.Add(1)), to: s.theirs}
	on := s.attempt(&a, "send_handoff", schemas.SendIn{To: a.to, Task: "try it", Title: a.title, Parent: "none"}, &out)
	a.handoff = out.HandoffID
	s.crowd.history.add(a)
	return on
}

func (s *client) workOn(wait int) bool {
	var claim schemas.ClaimOut
	a := act{what: claiming, to: s.mine, waits: wait > 0}
	on := s.attempt(&a, "claim_handoff", schemas.ClaimIn{WaitSeconds: wait}, &claim)
	a.handoff, a.token = claim.HandoffID, claim.Token
	s.crowd.history.add(a)
	if a.handoff == 0 || !on {
		return on
	}
	var out schemas.CompleteOut
	a = act{what: completing, handoff: a.handoff, token: a.token}
	on = s.attempt(&a, "complete_handoff", schemas.CompleteIn{HandoffID: a.handoff.String(), Token: a.token, Result: schemas.Result{Summary: "tried"}}, &out)
	a.result = out.CompletionID
	s.crowd.history.add(a)
	return on
}

// patience is how long a call may take before it counts as never answered.
const patience = 20 * time.Second

// attempt makes a call, notes what the client saw of it, and tells whether the process goes on.
func (s *client) attempt(a *act, tool string, in, out any) bool {
	ctx, cancel := context.WithTimeout(s.crowd.place.ctx, patience)
	defer cancel()
	if !a.waits {
		s.pulse.called()
	}
	a.by, a.from = s.number, s.crowd.history.now()
	err := s.call(ctx, tool, in, out)
	a.until = s.crowd.history.now()
	if !a.waits && !errors.Is(err, errGone) {
		s.pulse.answered(s.crowd.round.Load())
	}
	var why *schemas.Error
	switch {
	case err == nil:
		s.crowd.tally.add("answered")
	case errors.As(err, &why):
		s.crowd.tally.add("refused: " + string(why.Code) + ": " + why.Message)
		a.fate = fateOf(why)
		if a.what == claiming {
			a.by = nobody
		}
	case errors.Is(err, errGone):
		s.crowd.tally.add(killedWith)
		a.fate, a.until = unknown, never
	default:
		s.crowd.tally.add(fmt.Sprintf("broken: %v", err))
		a.fate, a.until = unknown, never
	}
	return !errors.Is(err, errGone)
}

// fateOf is what a refusal tells of the call. One that could not be answered in time may have been done.
func fateOf(why *schemas.Error) fate {
	if why.Code == schemas.Unavailable || why.Code == schemas.Internal {
		return unknown
	}
	return refused
}
