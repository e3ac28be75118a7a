package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits holds a bucket of requests for each name that asked of late. A bucket that has filled up again is as
// good as a new one and is forgotten, so that there are only as many as names within the time of filling.
type limits struct {
	mu      sync.Mutex // guards the fields below
	by      map[string]*rate.Limiter
	sweepAt int
}

// fewLimiters are not worth a sweep.
const fewLimiters = 1024

func newLimits() *limits {
	return &limits{by: map[string]*rate.Limiter{}, sweepAt: fewLimiters}
}

// take takes one of what a name may have a second, or tells when there will be one. As many as two seconds
// bring, and at least 20, may come at once.
func (l *limits) take(name string, perSecond float64, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lim := l.of(name, perSecond, now)
	if lim.AllowN(now, 1) {
		return 0
	}
	return untilOne(lim, now)
}

// wait tells when a name may take one, zero for now.
func (l *limits) wait(name string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lim, ok := l.by[name]; ok {
		return untilOne(lim, now)
	}
	return 0
}

func (l *limits) of(name string, perSecond float64, now time.Time) *rate.Limiter {
	burst := max(20, int(2*perSecond))
	lim, ok := l.by[name]
	if !ok {
		l.sweep(now)
		lim = rate.NewLimiter(rate.Limit(perSecond), burst)
		l.by[name] = lim
	}
	if lim.Limit() != rate.Limit(perSecond) {
		lim.SetLimitAt(now, rate.Limit(perSecond))
		lim.SetBurstAt(now, burst)
	}
	return lim
}

func (l *limits) sweep(now time.Time) {
	if len(l.by) < l.sweepAt {
		return
	}
	for name, lim := range l.by {
		if lim.TokensAt(now) >= float64(lim.Burst()) {
			delete(l.by, name)
		}
	}
	l.sweepAt = max(fewLimiters, 2*len(l.by))
}

func untilOne(lim *rate.Limiter, now time.Time) time.Duration {
	missing := 1 - lim.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(lim.Limit()) * float64(time.Second))
}
