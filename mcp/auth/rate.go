package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimits has a token bucket for each name with recent requests. A full bucket equals a new bucket, so full buckets
// are dropped.
type rateLimits struct {
	mu      sync.Mutex // guards the fields below
	by      map[string]*rate.Limiter
	sweepAt int
}

// minSweep is the number of buckets below which dropFullBuckets does nothing: the search would cost more than it saves.
const minSweep = 1024

func newRateLimits() *rateLimits {
	return &rateLimits{by: map[string]*rate.Limiter{}, sweepAt: minSweep}
}

// countRequest counts a request of a name. If the limit is reached, it counts nothing and returns the time to wait. At
// once, a name may make the requests of two seconds, or 20 if that is more.
func (l *rateLimits) countRequest(name string, perSecond float64, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.bucketOf(name, perSecond, now).ReserveN(now, 1)
	if wait = next.DelayFrom(now); wait > 0 {
		next.CancelAt(now)
	}
	return wait
}

// waitTime returns the time until a request of a name is allowed, zero if it is allowed now. It counts no request.
func (l *rateLimits) waitTime(name string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	lim, ok := l.by[name]
	if !ok {
		return 0
	}
	next := lim.ReserveN(now, 1)
	defer next.CancelAt(now)
	return next.DelayFrom(now)
}

func (l *rateLimits) bucketOf(name string, perSecond float64, now time.Time) *rate.Limiter {
	burst := max(20, int(2*perSecond))
	lim, ok := l.by[name]
	if !ok {
		l.dropFullBuckets(now)
		lim = rate.NewLimiter(rate.Limit(perSecond), burst)
		l.by[name] = lim
	}
	if lim.Limit() != rate.Limit(perSecond) {
		lim.SetLimitAt(now, rate.Limit(perSecond))
		lim.SetBurstAt(now, burst)
	}
	return lim
}

func (l *rateLimits) dropFullBuckets(now time.Time) {
	if len(l.by) < l.sweepAt {
		return
	}
	for name, lim := range l.by {
		if lim.TokensAt(now) >= float64(lim.Burst()) {
			delete(l.by, name)
		}
	}
	l.sweepAt = max(minSweep, 2*len(l.by))
}

// guessRate is the number of bad tokens per second that one address may send. [rateLimits.countRequest] defines the
// burst.
const guessRate = 10
