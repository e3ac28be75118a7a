package relay

import (
	"errors"
	"log/slog"
)

// joinQueue lets a process that stays wait for the lock in the kernel, until the owner ends. It returns at once. It may
// be called at any time, because at most one goroutine waits. A process joins the queue as soon as it has found an
// owner, so that it already waits when that owner ends.
func (r *Relay) joinQueue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.mayQueue() || r.closed || r.queued || r.opening || r.owner != nil || r.refused != nil {
		return
	}
	wait, err := r.election.(*fileElection).joinQueue()
	if err != nil {
		r.refused = r.election.UnusableError(err)
		r.broadcast()
		return
	}
	r.queued = true
	go r.waitForLock(wait) // Close does not wait for it: a wait for a file lock cannot be cancelled
}

// mayQueue reports whether this process may wait for the lock while another process holds it. It is true if this
// process stays and the owner holds a file lock.
func (r *Relay) mayQueue() bool {
	_, can := r.election.(*fileElection)
	return can && r.config.Stays
}

// waitForLock waits until this process has the lock, and then makes this process the owner. If the file of the lock was
// removed meanwhile, the next search begins anew. If the relay was closed meanwhile, waitForLock releases the lock.
func (r *Relay) waitForLock(wait func() (Tenure, error)) {
	won, err := wait()
	r.mu.Lock()
	r.queued = false
	if err != nil && !errors.Is(err, errRemoved) {
		r.refused = r.election.UnusableError(err)
	}
	if err != nil || r.closed {
		r.broadcast()
		r.mu.Unlock()
		if won == nil {
			return
		}
		if err := won.Release(); err != nil { // the lock is free when the process ends
			r.config.Logger.Error("the lock was not released", slog.Any("error", err))
		}
		return
	}
	r.opening = true
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	r.becomeOwner(won)
}

// becomeOwner opens the store after this process won the election. ownRoute returns the outcome. Either the goroutine
// that waited for the lock calls it, or a search that found the lock free. On an error it releases the lock. The
// present search returns the error, and the next search may try again.
func (r *Relay) becomeOwner(won Tenure) {
	r.mu.Lock()
	r.opening, r.pendingResign = true, nil
	r.mu.Unlock()
	o, err := r.openOwner(r.life, won)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opening = false
	if err != nil {
		if r.refused = err; r.searching == nil && r.life.Err() == nil { // no call waits for the error, and the relay does not end
			r.config.Logger.Warn("the store could not be taken over", slog.Any("error", err))
		}
		r.broadcast()
		return
	}
	r.owner = o // Close looks for it after this
	r.setRoute(o.route)
	if resign := r.pendingResign; resign != nil {
		r.work.Go(resign)
	}
}

// resign closes the store and waits for the lock again, behind all other waiting processes. It returns at once and
// reports whether this call closes the store. If the store is being opened, resign closes it as soon as it is open.
//
// Calls under way are cut off, and their processes repeat them at the next owner. This process also sends its next
// calls to the next owner.
func (r *Relay) resign(o *owner, why string, details ...any) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opening && !r.closed { // the owner listens already, and a process that is refused now would not ask again
		r.pendingResign = func() { r.resign(o, why, details...) }
		return true
	}
	if r.closed || r.owner != o || o.route.isLost() {
		return false
	}
	r.config.Logger.Info("letting go of the store", append(details, slog.String("why", why))...)
	r.backoff = resignBackoff
	r.work.Go(func() {
		if err := o.close(); err != nil {
			r.config.Logger.Error("the store was not closed well", slog.Any("error", err))
		}
		r.mu.Lock()
		r.owner = nil
		r.broadcast()
		r.mu.Unlock()
		r.joinQueue()
	})
	return true
}

// ownRoute returns the route to the store in this process, or the error of opening the store. It returns such an error
// only once. It returns nil and nil if this process does not hold the lock.
func (r *Relay) ownRoute() (*route, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.refused
	r.refused = nil
	if r.owner != nil && !r.owner.route.isLost() {
		return r.owner.route, nil
	}
	return nil, err
}

// hasLock reports whether this process owns the store, or has won the election and is opening the store.
func (r *Relay) hasLock() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opening || r.owner != nil
}
