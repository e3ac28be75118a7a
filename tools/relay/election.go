package relay

import (
	"context"
	"errors"
	"log/slog"
)

// lineUp puts a process that stays in line for the lock. It waits there, in the kernel, until the owner ends.
func (r *Relay) lineUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.config.Stays || r.closed || r.queued || r.rising || r.owner != nil || r.refused != nil {
		return
	}
	r.queued = true
	go r.queue() // nothing waits for it: a wait for a file lock cannot be cancelled
}

func (r *Relay) queue() {
	l, err := waitLock(lockPath(r.config.Dir))
	r.mu.Lock()
	r.queued = false
	if err != nil && !errors.Is(err, errRemoved) {
		r.refused = unlockable(r.config, err)
	}
	if err != nil || r.closed {
		r.tell()
		r.mu.Unlock()
		r.letGo(l)
		return
	}
	r.rising = true
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	r.rise(l)
}

// rise makes the process that has the lock the owner.
func (r *Relay) rise(l *lock) {
	r.mu.Lock()
	r.rising, r.room = true, nil
	r.mu.Unlock()
	o, err := r.own(r.life, l)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rising = false
	if err != nil {
		if r.refused = err; r.looking == nil { // nobody is told
			r.config.Logger.Warn("the store could not be taken over", slog.Any("error", err))
		}
		r.tell()
		return
	}
	r.owner = o // Close looks for it when this is done
	r.sitOn(o.seat)
	if room := r.room; room != nil {
		r.work.Go(room)
	}
}

// outcome is what came of having the lock: the seat of an owner, or why the store could not be opened.
func (r *Relay) outcome() (*seat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.refused
	r.refused = nil
	if r.owner != nil && !r.owner.seat.lost() {
		return r.owner.seat, nil
	}
	return nil, err
}

// hasLock tells whether this process owns the store, or is about to.
func (r *Relay) hasLock() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rising || r.owner != nil
}

// sitOn is called with mu held.
func (r *Relay) sitOn(s *seat) {
	if was := r.seat; was != nil && was != s {
		was.lose(errMoved)
	}
	r.seat = s
	context.AfterFunc(s.over, r.seatLost)
	r.tell()
}

func (r *Relay) letGo(l *lock) {
	if l == nil {
		return
	}
	if err := l.release(); err != nil {
		r.config.Logger.Error("the lock was not released", slog.Any("error", err))
	}
}
