//go:build unix

package together_test

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// A crowd is a number of seats at which processes work. When a process is killed, a fresh one takes its seat.
type crowd struct {
	shift
	place  *place
	rounds int64 // of killing that there will be
	gaps   gaps

	mu    sync.Mutex      // guards the fields below
	seats map[int]*client // by the id of the process that sits there
}

// A client is a process at its seat.
type client struct {
	*process
	worker
	crowd     *crowd
	since     int64       // the round in which it came
	condemned atomic.Bool // it is being killed by us
}

// work keeps a process at a seat until the time is over, and returns the last process. Each process has two calls under
// way.
func (c *crowd) work(seat int) (*client, error) {
	for {
		s, err := c.sit(seat)
		if err != nil {
			return nil, err
		}
		s.work()
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
	process, err := c.place.begin("--agent", teams[seat%2])
	if err != nil {
		return nil, err
	}
	s := &client{process: process, crowd: c, since: c.round.Load()}
	s.worker = worker{shift: &c.shift, caller: process, gone: process.ended, mine: teams[seat%2], theirs: teams[1-seat%2]}
	s.number = c.history.enter()
	c.mu.Lock()
	c.seats[process.pid] = s
	c.mu.Unlock()
	if err := process.greet(c.place.ctx, "test"); err != nil && !s.condemned.Load() {
		return nil, fmt.Errorf("%v: %w\n%s", s, err, s.said())
	}
	return s, nil
}

// killOwner kills the process that owns the store. It reports whether that can be told just now.
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
