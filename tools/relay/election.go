package relay

import (
	"errors"
	"log/slog"
)

// joinQueue makes a process that stays wait for the lock. It waits in the kernel, until the owner ends.
//
// It returns at once and may be called at any time: one goroutine waits at most. A process joins when it has found an
// owner, so that it is in line before that owner ends. When several wait, the kernel decides who is next.
func (r *Relay) joinQueue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.mayQueue() || r.closed || r.queued || r.opening || r.owner != nil || r.refused != nil {
		return
	}
	wait, err := r.election.(queueElection).queue()
	if err != nil {
		r.refused = r.election.Unusable(err)
		r.broadcast()
		return
	}
	r.queued = true
	go r.waitForLock(wait) // Close does not wait for it: a wait for a file lock cannot be cancelled
}

// mayQueue tells whether this process waits for the lock while another holds it.
func (r *Relay) mayQueue() bool {
	_, can := r.election.(queueElection)
	return can && r.config.Stays
}

// waitForLock waits until this process has the lock, and then makes it the owner. A lock whose file was removed
// meanwhile is no error: the next search begins anew. A relay that was closed gives the lock back.
func (r *Relay) waitForLock(wait func() (Tenure, error)) {
	won, err := wait()
	r.mu.Lock()
	r.queued = false
	if err != nil && !errors.Is(err, errRemoved) {
		r.refused = r.election.Unusable(err)
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

// becomeOwner opens the store as the one that won the election. What comes of it is in ownRoute.
//
// It is called by the goroutine that waited for the lock, or by a search that found it free, never by both: the lock
// has one holder. On an error the lock is released, searches get the error once, and the next search may try again.
func (r *Relay) becomeOwner(won Tenure) {
	r.mu.Lock()
	r.opening, r.pendingResign = true, nil
	r.mu.Unlock()
	o, err := r.openOwner(r.life, won)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opening = false
	if err != nil {
		if r.refused = err; r.searching == nil && r.life.Err() == nil { // no call waits for the error, and it does not end
			r.config.Logger.Warn("the store could not be taken over", slog.Any("error", err))
		}
		r.broadcast()
		return
	}
	r.owner = o // Close looks for it when this is done
	r.setRoute(o.route)
	if resign := r.pendingResign; resign != nil {
		r.work.Go(resign)
	}
}

// resign closes the store and waits for the lock again, behind all others that wait. It returns at once and reports
// whether the store will be closed by it. A store that is just being opened is closed as soon as it is open.
//
// Calls under way are cut off and repeated at the next owner by their callers. The process itself goes on: its next
// calls go to the next owner.
func (r *Relay) resign(o *owner, why string, details ...any) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opening && !r.closed { // the owner listens already, and who was refused now would not ask again
		r.pendingResign = func() { r.resign(o, why, details...) }
		return true
	}
	if r.closed || r.owner != o || o.route.lost() {
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

// ownRoute is the route to the store in this process, or the error why it could not be opened, which it returns once.
// It returns neither when this process has not got the lock.
func (r *Relay) ownRoute() (*route, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.refused
	r.refused = nil
	if r.owner != nil && !r.owner.route.lost() {
		return r.owner.route, nil
	}
	return nil, err
}

// hasLock reports whether this process owns the store, or is about to.
func (r *Relay) hasLock() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opening || r.owner != nil
}
