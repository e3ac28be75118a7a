package presence

import (
	"slices"
	"sync"
	"time"
)

const (
	minSleep  = time.Minute // less ahead of the time awake is no sleep
	maxSleeps = 64          // beyond that, the oldest count as one
)

// Clock reads the time and notices when the machine slept. The time goes on while a machine sleeps and nobody can
// act, so what ends by silence ends later by as long as the machine slept. What ends at a given time ends then.
//
// A clock notices a sleep by comparing the time with how long the machine was awake: the time that ran ahead by more
// than a minute between two readings was slept. A person who sets the time ahead looks the same. What is known of
// sleeps is memory of this process. The methods may be called concurrently.
type Clock struct {
	now   func() time.Time
	awake func() time.Duration

	mu           sync.Mutex    // guards the fields below
	started      time.Time     // the first reading of the time
	awakeAtStart time.Duration // the first reading of the time awake
	last         time.Time     // the last reading of the time, without its monotonic part
	ahead        time.Duration // of the time awake, at the last reading
	sleeps       []sleep       // in order
}

// sleep is a stretch of time in which the machine slept at some moment, between two readings of the clock.
type sleep struct {
	from, to time.Time
	long     time.Duration
}

// NewClock makes a clock and reads it for the first time. Awake is how long the machine has been awake since some
// fixed moment; nil means that it never sleeps.
func NewClock(now func() time.Time, awake func() time.Duration) *Clock {
	c := &Clock{now: now, awake: awake}
	c.started = now()
	if awake != nil {
		c.awakeAtStart = awake()
	}
	c.note(c.started, c.awakeAtStart)
	return c
}

// Started is the first reading of the time, which is when the service began.
func (c *Clock) Started() time.Time { return c.started }

// Read gives the time, and how long the clock has run while the machine was awake. It notes a sleep since the reading
// before it.
func (c *Clock) Read() (now time.Time, running time.Duration) {
	if c.awake == nil {
		now = c.now()
		return now, now.Sub(c.started)
	}
	c.mu.Lock() // also for the readings: they belong together
	defer c.mu.Unlock()
	now, woke := c.now(), c.awake()
	c.note(now, woke)
	return now, woke - c.awakeAtStart
}

// note compares a reading with the one before it. The time awake must not go backwards; the time of day may be set at
// will.
func (c *Clock) note(now time.Time, awake time.Duration) {
	wall := now.Round(0) // the monotonic reading may stand still as well
	ahead := time.Duration(wall.UnixNano()) - awake
	switch jump := ahead - c.ahead; {
	case c.last.IsZero():
	case jump > minSleep:
		c.add(sleep{c.last, wall, jump})
	case jump < -minSleep: // the time was set back: what lies after it now was no sleep
		c.sleeps = slices.DeleteFunc(c.sleeps, func(s sleep) bool { return s.to.After(wall) })
	}
	c.last, c.ahead = wall, ahead
}

// add keeps a sleep. Past the number that is kept, the two oldest become one that is as long as both, so the sum since
// an early time stays right.
func (c *Clock) add(s sleep) {
	if len(c.sleeps) == maxSleeps {
		oldest, next := c.sleeps[0], c.sleeps[1]
		c.sleeps = slices.Replace(c.sleeps, 0, 2, sleep{oldest.from, next.to, oldest.long + next.long})
	}
	c.sleeps = append(c.sleeps, s)
}

// SleptSince is how long the machine slept since t, zero for a t after the last sleep. Of a sleep that lies around t it
// counts no more than what is left of that stretch after t.
func (c *Clock) SleptSince(t time.Time) (sum time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range slices.Backward(c.sleeps) {
		if !s.to.After(t) {
			break
		}
		sum += min(s.long, s.to.Sub(t))
	}
	return sum
}

// WokeAfter is when the machine was seen awake again after a sleep in which t may have passed, zero when there was
// none.
func (c *Clock) WokeAfter(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range slices.Backward(c.sleeps) {
		if t.After(s.from) && !t.After(s.to) {
			return s.to
		}
	}
	return time.Time{}
}
