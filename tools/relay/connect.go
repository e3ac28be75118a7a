package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"handoff/schemas"
)

const (
	searchLimit = 5 * time.Second // how long a call waits for an owner
	firstPause  = 2 * time.Millisecond
	lastPause   = 100 * time.Millisecond
)

// errUnserved means that a search for the owner gave up: a process holds the lock, and no process answers calls for the
// store.
var errUnserved = errors.New("nobody serves the store")

// routeSearch is one search for a route, which all calls that need a route share. It ends with a route, with an error,
// or when the relay closes. If one caller stops waiting, the search continues for the other callers.
type routeSearch struct {
	done  chan struct{} // closed when the fields below are set
	route *route
	err   error
}

// connect returns the route, and searches for one if there is none. If a call joins a search of another call and this
// search fails, connect searches once more, because the call had less than the full time.
//
// The error is unavailable if the relay is closing, ctx ended, no process serves the store, or the owner is stopped or
// has no common protocol version. It may also be an error of Config.Open.
func (r *Relay) connect(ctx context.Context) (*route, error) {
	rt, joined, err := r.connectOnce(ctx)
	if joined && errors.Is(err, errUnserved) {
		rt, _, err = r.connectOnce(ctx)
	}
	if why, ok := errors.AsType[*schemas.Error](err); ok && errors.Is(err, errUnserved) {
		err = why
	}
	return rt, err
}

func (r *Relay) connectOnce(ctx context.Context) (_ *route, joined bool, err error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, false, closingError(r.config)
	}
	if current := r.route; current != nil && !current.isLost() {
		r.mu.Unlock()
		return current, false, nil
	}
	found := r.searching
	joined = found != nil
	if !joined {
		found = &routeSearch{done: make(chan struct{})}
		r.searching = found
		r.work.Go(func() { r.runRouteSearch(found) })
	}
	r.mu.Unlock()
	select {
	case <-found.done:
		return found.route, joined, found.err
	case <-ctx.Done():
		return nil, joined, cutOffError(ctx)
	}
}

func (r *Relay) runRouteSearch(found *routeSearch) {
	if found.err = r.election.Prepare(); found.err == nil {
		found.route, found.err = r.findRoute(r.life)
	}
	if errors.Is(found.err, errUnserved) { // in this goroutine, because only one search at a time may use an election
		found.err = fmt.Errorf("%w: %w", errUnserved, r.election.UnservedError())
	}
	r.mu.Lock()
	r.searching = nil
	r.mu.Unlock()
	close(found.done)
}

// findRoute reaches the owner, or makes this process the owner if there is none. It repeats its tries and gives up
// after five seconds, unless this process is opening the store. The pause between two tries grows from 2 ms to 100 ms,
// and is multiplied by a random factor from 0.5 to 1.5, so that processes do not try at the same moment.
func (r *Relay) findRoute(ctx context.Context) (*route, error) {
	limit := time.NewTimer(searchLimit)
	defer limit.Stop()
	r.mu.Lock()
	r.refused = nil // the reason of an earlier search may be gone
	r.mu.Unlock()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		rt, err := r.tryRouteOnce(ctx)
		if rt != nil || err != nil {
			return rt, err
		}
		select {
		case <-changed:
			pause = firstPause
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // so that processes do not all ask at once
		case <-ctx.Done():
			return nil, closingError(r.config)
		case <-limit.C:
			if !r.hasLock() {
				return nil, errUnserved
			}
			limit.Reset(searchLimit) // opening a store may take longer, and is no reason to give up
		}
	}
}

// tryRouteOnce makes one try. It checks three cases in this order: this process has become the owner by waiting for the
// lock, another process is the owner, the lock is free. It returns neither a route nor an error if another try may
// succeed.
//
// A process that waits for the lock in the kernel does not take a free lock here, because the kernel gives the lock to
// the waiting processes in order. A command does not wait in the kernel, so it takes a free lock here. If the owner
// does not answer, tryRouteOnce tries to take the lock once. The lock may be free, if another program now listens at
// the owner's address.
func (r *Relay) tryRouteOnce(ctx context.Context) (*route, error) {
	if rt, err := r.ownRoute(); rt != nil || err != nil {
		return rt, err
	}
	rt, err := r.meetOwner(ctx)
	owner, isStalled := errors.AsType[*stalledError](err)
	switch {
	case err == nil:
		r.joinQueue()
		return r.adoptRoute(rt)
	case !isStalled && !errors.Is(err, errMoved):
		return nil, err
	case !isStalled && r.mayQueue():
		r.joinQueue()
		return nil, nil
	}
	if r.hasLock() || !isStalled && r.isInBackoff() {
		return nil, nil
	}
	won, err := r.election.TryToWin(ctx)
	switch {
	case err == nil:
		r.becomeOwner(won)
		return r.ownRoute()
	case isStalled:
		return nil, r.election.StalledError(owner.note)
	case errors.Is(err, ErrInUse), errors.Is(err, errRemoved):
		return nil, nil
	}
	return nil, r.election.UnusableError(err)
}

// resignBackoff is the number of times that a command looks for another owner after it gave the store up. Only then it
// tries the lock again. Without this pause the command could get the free lock back before the waiting processes.
const resignBackoff = 5

func (r *Relay) isInBackoff() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.backoff == 0 {
		return false
	}
	r.backoff--
	return true
}

// adoptRoute makes rt the route of all calls from now on, unless this process has become the owner or is closing.
func (r *Relay) adoptRoute(rt *route) (*route, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		rt.lose(errMoved)
		return nil, closingError(r.config)
	case r.owner != nil && !r.owner.route.isLost():
		rt.lose(errMoved)
		return r.owner.route, nil
	}
	r.setRoute(rt)
	return rt, nil
}

// setRoute is called with mu held.
func (r *Relay) setRoute(rt *route) {
	if before := r.route; before != nil && before != rt {
		before.lose(errMoved)
	}
	r.route = rt
	context.AfterFunc(rt.life, r.reconnect)
	r.broadcast()
}
