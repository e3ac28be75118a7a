package relay

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	patience   = 5 * time.Second // how long a call waits for an owner
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// errNobody tells that a search gave up: the lock is held, and nobody serves.
var errNobody = errors.New("nobody serves the store")

// search is one search for a seat, which all calls that need one share.
type search struct {
	done chan struct{} // closed when the fields below are set
	seat *seat
	err  error
}

// sit gives the seat, and finds one if there is none. A search that began earlier may give up too soon for
// who joins it, so that one searches once more.
func (r *Relay) sit(ctx context.Context) (*seat, error) {
	s, joined, err := r.sitOnce(ctx)
	if joined && errors.Is(err, errNobody) {
		s, _, err = r.sitOnce(ctx)
	}
	if errors.Is(err, errNobody) {
		err = nobodyServes(r.config)
	}
	return s, err
}

func (r *Relay) sitOnce(ctx context.Context) (s *seat, joined bool, err error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, false, leaving(r.config)
	}
	if s := r.seat; s != nil && !s.lost() {
		r.mu.Unlock()
		return s, false, nil
	}
	found := r.looking
	joined = found != nil
	if !joined {
		found = &search{done: make(chan struct{})}
		r.looking = found
		r.work.Go(func() { r.look(found) })
	}
	r.mu.Unlock()
	select {
	case <-found.done:
		return found.seat, joined, found.err
	case <-ctx.Done():
		return nil, joined, cutOff(ctx)
	}
}

func (r *Relay) look(found *search) {
	found.seat, found.err = r.find(r.life)
	r.mu.Lock()
	r.looking = nil
	r.mu.Unlock()
	close(found.done)
}

// find meets the owner, or makes this process the owner when there is none.
func (r *Relay) find(ctx context.Context) (*seat, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	r.mu.Lock()
	r.refused = nil // what stood in the way before may not any more
	r.mu.Unlock()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		s, err := r.try(ctx)
		if s != nil || err != nil {
			return s, err
		}
		select {
		case <-changed:
			pause = firstPause
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // so that not all knock at once
		case <-ctx.Done():
			return nil, leaving(r.config)
		case <-limit.C:
			if !r.hasLock() {
				return nil, errNobody
			}
			limit.Reset(patience) // opening a store may take longer, and is no reason to give up
		}
	}
}

// try looks once: at what came of standing in line, for an owner, and for the lock. It gives neither a seat
// nor an error when it is worth to look again.
func (r *Relay) try(ctx context.Context) (*seat, error) {
	if s, err := r.outcome(); s != nil || err != nil {
		return s, err
	}
	s, err := r.meet(ctx)
	silent, isSilent := errors.AsType[*silence](err)
	switch {
	case err == nil:
		r.lineUp()
		return r.take(s)
	case !isSilent && !errors.Is(err, errMoved):
		return nil, err
	case !isSilent && r.config.Stays:
		r.lineUp()
		return nil, nil
	}
	if r.hasLock() || !isSilent && r.isModest() {
		return nil, nil
	}
	l, err := tryLock(lockPath(r.config.Dir))
	switch {
	case err == nil:
		r.rise(l)
		return r.outcome()
	case isSilent:
		return nil, silent.explain(r.config)
	case errors.Is(err, ErrInUse), errors.Is(err, errRemoved):
		return nil, nil
	}
	return nil, unlockable(r.config, err)
}

// modesty is how often a command that made room looks for another owner first: a lock that is just free is got by
// who asks at that moment, and not by who waits for it.
const modesty = 5

func (r *Relay) isModest() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.modest == 0 {
		return false
	}
	r.modest--
	return true
}

// take makes s the seat, unless this process became the owner meanwhile, or closes.
func (r *Relay) take(s *seat) (*seat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		s.lose(errMoved)
		return nil, leaving(r.config)
	case r.owner != nil && !r.owner.seat.lost():
		s.lose(errMoved)
		return r.owner.seat, nil
	}
	r.sitOn(s)
	return s, nil
}
