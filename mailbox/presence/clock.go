package presence

import (
	"slices"
	"sync"
	"time"
)

const (
	minSleep  = time.Minute // a smaller jump of the clock is no sleep
	maxSleeps = 64          // further sleeps merge the two oldest
)

// Clock reads the time and detects when the machine slept. The server extends leases by the time asleep, because no
// agent can make calls meanwhile. Fixed times, such as deadlines, are not extended.
//
// At each reading, the clock compares the time of day with the time that the machine was awake. If the time of day
// advanced by over a minute more than the time awake, the clock records a sleep. It also records one if a person sets
// the time ahead by over a minute. Sleeps are kept in memory. The methods may be called concurrently.
type Clock struct {
	now   func() time.Time
	awake func() time.Duration

	mu           sync.Mutex    // guards the fields below
	started      time.Time     // the first reading of the time
	awakeAtStart time.Duration // the first reading of the time awake
	last         time.Time     // the last reading of the time, without its monotonic part
	ahead        time.Duration // how far the time is ahead of the time awake, at the last reading
	sleeps       []sleep       // in order
}

// sleep is a period between two readings of the clock during part of which the machine slept.
type sleep struct {
	from, to time.Time
	long     time.Duration
}

// NewClock returns a clock and reads it for the first time. awake returns how long the machine has been awake since a
// fixed moment. If awake is nil, the clock detects no sleep.
func NewClock(now func() time.Time, awake func() time.Duration) *Clock {
	c := &Clock{now: now, awake: awake}
	c.started = now()
	if awake != nil {
		c.awakeAtStart = awake()
	}
	c.detectSleep(c.started, c.awakeAtStart)
	return c
}

// Started returns the time of the first reading.
func (c *Clock) Started() time.Time { return c.started }

// Read returns the time, and how long the clock has run while the machine was awake. It also detects a sleep since the
// last reading.
func (c *Clock) Read() (now time.Time, running time.Duration) {
	if c.awake == nil {
		now = c.now()
		return now, now.Sub(c.started)
	}
	c.mu.Lock() // held during the readings, which belong together
	defer c.mu.Unlock()
	now, woke := c.now(), c.awake()
	c.detectSleep(now, woke)
	return now, woke - c.awakeAtStart
}

// detectSleep compares a reading with the last reading, and adds a sleep if the machine slept in between. awake must
// not decrease. now may be any time, because a person may set the clock.
func (c *Clock) detectSleep(now time.Time, awake time.Duration) {
	wall := now.Round(0) // the monotonic reading may stand still as well
	ahead := time.Duration(wall.UnixNano()) - awake
	switch jump := ahead - c.ahead; {
	case c.last.IsZero():
	case jump > minSleep:
		c.addSleep(sleep{c.last, wall, jump})
	case jump < -minSleep: // the time was set back: sleeps after it do not count
		c.sleeps = slices.DeleteFunc(c.sleeps, func(s sleep) bool { return s.to.After(wall) })
	}
	c.last, c.ahead = wall, ahead
}

// addSleep adds a sleep. If there are more than [maxSleeps], it merges the two oldest sleeps into one of the same total
// length.
func (c *Clock) addSleep(s sleep) {
	if len(c.sleeps) == maxSleeps {
		oldest, next := c.sleeps[0], c.sleeps[1]
		c.sleeps = slices.Replace(c.sleeps, 0, 2, sleep{oldest.from, next.to, oldest.long + next.long})
	}
	c.sleeps = append(c.sleeps, s)
}

// SleptSince returns how long the machine slept since t. For a sleep that had begun before t, it counts at most the
// time from t to the end of the sleep.
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

// WokeAfter returns when the machine was awake again after a sleep that contains t. It returns the zero time if the
// machine was awake at t.
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
