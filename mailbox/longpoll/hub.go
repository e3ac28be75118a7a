// Package longpoll decides which of the calls that wait are woken when something changes, and in which order. It
// knows mailboxes by their address and waiters by the moment they began to wait; it knows no store and no rules.
// Package mailbox tells it what an operation changed ([Effects]) and looks into the store itself.
//
// There are two ways to wait. A call that waits for anything takes [Hub.NextChange], which every change closes, and
// looks for itself. A call that waits for something to claim is a [Waiter]: it stands in one queue for each mailbox
// that its agent claims from, and is served first come, first served. Mail into a mailbox gives one permit for that
// mailbox to one waiter in its queue. A permit is a reason to look, not a right: a call that does not wait takes
// what it finds at that moment, and a waiter that comes too late keeps its position.
//
// No mail lies while one waits who may take it, because of six rules:
//  1. A waiter joins its queues before it looks, and mail is announced after its commit. So mail that a look could
//     not see yet is announced to a queue in which the waiter stands.
//  2. A permit goes to the first waiter in the queue that has none for the mailbox. A waiter that has one is yet to
//     look, because it puts its permits to use before it looks. So where all waiters have one, all will look.
//  3. A waiter that looked in vain passes the permit to the waiters behind it, because each of those ahead has looked
//     since or has a permit of its own. The permit ends where no mail is left or where all behind have one.
//  4. One handoff that is taken spends one permit, and only the permit for which the waiter looked. A look for
//     another reason, such as the first one after joining, may take mail that was announced to others. If it spent a
//     permit, the mail of that permit would lie.
//  5. A waiter that may take more than at its last look, because its agent registered or holds less, looks again.
//  6. A waiter that leaves passes on the permits that it did not spend.
//
// All of it is memory of the process that owns the workspace. When that ends, so do the calls that wait there; each is
// made again at the next owner with the time at which its wait began, and has its old place. The first thing that it
// does there is to look, so mail of the time in between is found.
package longpoll

import (
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// Hub wakes the calls that wait in one process. Its methods, and those of its waiters, may be called concurrently. None
// of them blocks, none reads a store, and all of it is forgotten when the process ends: who waits arrives again at the
// next owner, with the time at which its wait began.
type Hub struct {
	mu       sync.Mutex // guards the fields below, and those of waiters that say so
	lists    map[schemas.Address]waiterList
	waiters  map[*Waiter]bool
	arrivals uint64
	changed  chan struct{} // closed and replaced at each change
}

// Effects are what an operation changed, as far as it concerns those who wait. The zero value still tells those who
// wait for anything that something changed. Announcing too much costs looks in vain, announcing too little leaves mail
// lying.
type Effects struct {
	Boxes     []schemas.Address // where something may be claimed now: one permit for each entry
	Freed     []schemas.Agent   // agents that held as many as they take, and hold less
	Regrouped bool              // some agents claim from other mailboxes than before
	Due       time.Time         // when the clock changes next what the operation changed; zero for never
}

// NewHub makes a hub for which nobody waits.
func NewHub() *Hub {
	return &Hub{lists: map[schemas.Address]waiterList{}, waiters: map[*Waiter]bool{}, changed: make(chan struct{})}
}

// NextChange is closed at the next change of anything. Who takes it before looking misses no change after the look.
// Each change closes one channel and makes the next, so a reader that is slow hears of many changes once.
func (h *Hub) NextChange() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// HasWaiter tells whether a call waits for anything that comes into a mailbox.
func (h *Hub) HasWaiter(box schemas.Address) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.lists[box], func(w *Waiter) bool { return !w.Choosy })
}

// Announce tells those who wait what was changed. It is called after the commit, and also when nobody knows whether
// a commit was kept: a look in vain does no harm. It gives one permit for each mailbox with mail, and wakes the
// waiters that may take more than before or that would sleep past the moment when the clock changes something.
func (h *Hub) Announce(e Effects) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.changed)
	h.changed = make(chan struct{})
	for _, box := range e.Boxes {
		h.lists[box].grant(box)
	}
	for _, agent := range e.Freed {
		for _, w := range h.lists[schemas.Address(agent)] {
			w.mayTakeMore = true
			w.wake()
		}
	}
	if !e.Regrouped && e.Due.IsZero() {
		return
	}
	for w := range h.waiters {
		w.mayTakeMore = w.mayTakeMore || e.Regrouped
		if w.mayTakeMore || e.Due.Before(w.until) {
			w.wake()
		}
	}
}
