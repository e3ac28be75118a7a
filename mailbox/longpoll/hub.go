// Package longpoll decides which long polls a change wakes, and in which order. It knows mailboxes by their address,
// and waiters by the time at which their wait began; it knows no store and no rules. Package mailbox tells it the
// [Effects] of an operation, and reads the store itself.
//
// There are two kinds of waits. A call that waits for any change takes [Hub.NextChange], which every change closes, and
// reads the store itself. A call that waits for work is a [Waiter]: it stands in one list for each mailbox that its
// agent claims from, and is served first come, first served. Mail in a mailbox gives one permit for that mailbox to one
// waiter in its list. A permit is a reason to look, not a right: a call that does not wait claims any work that it
// finds, and a waiter that comes too late keeps its position.
//
// No mail is left while a waiter could take it. Six rules ensure that:
//  1. A waiter joins its lists before it looks, and mail is announced after its commit. So mail that a look could not
//     see yet is announced to a list with the waiter in it.
//  2. A permit goes to the first waiter in the list without one for the mailbox. A waiter with a permit is still going
//     to look, because it puts its permits to use before it looks. So if all waiters have one, all will look.
//  3. A waiter that looked in vain passes the permit to the waiters behind it, because each waiter ahead has looked
//     since or has a permit of its own. The permit ends if no mail is left or if all waiters behind have one.
//  4. A claim spends one permit, and only the permit for which the waiter looked. A look for another reason, such as
//     the first look after joining, may take mail that was announced to other waiters. If it spent a permit, the mail
//     of that permit would be left.
//  5. A waiter looks again if it may take more than at its last look, because its agent registered or holds less.
//  6. A waiter that leaves passes on its unspent permits.
//
// The lists are memory of the process that owns the workspace. When it ends, its waits break. Each client repeats its
// wait at the new owner with the time at which the wait began, and gets its old position. A repeated wait begins with a
// look, so it finds mail of the time between.
package longpoll

import (
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// Hub wakes the waiting calls of one process. Its methods, and the methods of its waiters, may be called concurrently.
// They do not block and read no store. The hub keeps nothing beyond its process: clients repeat their waits at the next
// owner, with the time at which each wait began.
type Hub struct {
	mu       sync.Mutex // guards the fields below, and the marked fields of waiters
	lists    map[schemas.Address]waiterList
	waiters  map[*Waiter]bool
	arrivals uint64
	changed  chan struct{} // closed and replaced at each change
}

// Effects are the changes of an operation that concern waiters. The zero value still wakes waiters for any change.
// Announcing too much costs useless looks; announcing too little leaves mail unclaimed.
type Effects struct {
	Boxes     []schemas.Address // mailboxes with claimable work: one permit for each entry
	Freed     []schemas.Agent   // agents that were at their limit, and now hold less
	Regrouped bool              // some agents claim from other mailboxes than before
	Due       time.Time         // when the clock next changes a record of the operation; zero for never
}

// NewHub makes a hub without waiters.
func NewHub() *Hub {
	return &Hub{lists: map[schemas.Address]waiterList{}, waiters: map[*Waiter]bool{}, changed: make(chan struct{})}
}

// NextChange returns a channel that the next change closes. A caller that takes it before it reads the store misses no
// later change. Each change closes one channel and makes the next, so a slow reader hears of many changes once.
func (h *Hub) NextChange() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// HasWaiter tells whether a call waits for any work in a mailbox.
func (h *Hub) HasWaiter(box schemas.Address) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.lists[box], func(w *Waiter) bool { return !w.Choosy })
}

// Announce tells waiters about the effects of an operation. Callers call it after the commit, and also after a commit
// of unknown outcome, because a useless look does no harm. It gives one permit for each mailbox with mail. It wakes
// waiters that may take more than before, and waiters that would sleep past a due time.
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
