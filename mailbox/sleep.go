package mailbox

import (
	"slices"
	"sync"
	"time"

	"handoff/store"
)

// The clock goes on while a machine sleeps, and nobody can act. So what ends by silence ends later by as long
// as the machine slept; what ends at a given time ends then, and its event says how much of the time nobody
// had. Somebody who sets the clock ahead looks the same. That a process remembers in memory only: the next
// one gives its grace to connections that it does not know.

const (
	shortestSleep = time.Minute // less ahead of the time awake is no sleep
	sleepsKept    = 64          // beyond that, the oldest count as one
)

// slept is a stretch of time in which the machine slept at some moment, between two readings of the clock.
type slept struct {
	from, to time.Time
	long     time.Duration
}

// sleeps compares the clock with the time that the machine was awake.
type sleeps struct {
	mu    sync.Mutex    // guards the fields below
	begun time.Duration // the first reading of the time awake
	last  time.Time     // the last reading of the clock, zero before the first
	ahead time.Duration // of the clock, at the last reading
	known []slept       // in order
}

// tick reads the clock, and gives with it how long this service has run while the machine was awake.
func (s *Service) tick() (now time.Time, running time.Duration) {
	if s.Awake == nil {
		now = s.Now()
		return now, now.Sub(s.started)
	}
	return s.sleeps.read(s.Now, s.Awake)
}

func (p *sleeps) read(clock func() time.Time, awake func() time.Duration) (now time.Time, running time.Duration) {
	p.mu.Lock() // also for the readings: they belong together
	defer p.mu.Unlock()
	now, woke := clock(), awake()
	wall := now.Round(0) // the monotonic reading may stand still as well
	ahead := time.Duration(wall.UnixNano()) - woke
	switch jump := ahead - p.ahead; {
	case p.last.IsZero():
		p.begun = woke
	case jump > shortestSleep:
		p.note(slept{p.last, wall, jump})
	case jump < -shortestSleep: // the clock was set back: what lies before it now was no sleep
		p.known = slices.DeleteFunc(p.known, func(s slept) bool { return s.to.After(wall) })
	}
	p.last, p.ahead = wall, ahead
	return now, woke - p.begun
}

func (p *sleeps) note(s slept) {
	if len(p.known) == sleepsKept {
		oldest, next := p.known[0], p.known[1]
		p.known = slices.Replace(p.known, 0, 2, slept{oldest.from, next.to, oldest.long + next.long})
	}
	p.known = append(p.known, s)
}

// since is how long the machine slept since t.
func (p *sleeps) since(t time.Time) (sum time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range slices.Backward(p.known) {
		if !s.to.After(t) {
			break
		}
		sum += min(s.long, s.to.Sub(t))
	}
	return sum
}

// over is when the machine was seen awake again after a sleep in which t may have passed, zero when there was
// none.
func (p *sleeps) over(t time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range slices.Backward(p.known) {
		if t.After(s.from) && !t.After(s.to) {
			return s.to
		}
	}
	return time.Time{}
}

// asleep is how long the machine slept since the last event of a handoff.
func (o *op) asleep(r *store.Record) time.Duration {
	if o.sleeps.since(r.Created.Time()) == 0 {
		return 0 // as nearly always
	}
	e, err := o.Event(r.Event)
	if err != nil || e == nil {
		return 0
	}
	return o.sleeps.since(e.At)
}

// prolonged is until when something goes on that was to end at t: longer by as long as the machine slept since
// the last event, and if it slept at t, at least for the grace from when it woke.
func (o *op) prolonged(r *store.Record, t store.Time) store.Time {
	end := t.Time().Add(o.asleep(r))
	if woke := o.sleeps.over(t.Time()); !woke.IsZero() && woke.Add(grace).After(end) {
		end = woke.Add(grace)
	}
	return store.At(end)
}
