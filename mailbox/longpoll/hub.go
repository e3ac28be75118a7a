// Package longpoll decides which long polls (calls that wait for work or news) a change wakes, and in which order. It
// reads no store: package mailbox reads the store and calls [Hub.Announce] after each operation.
//
// A call that waits for any change receives from the channel of [Hub.NextChange]. A call that waits for work has a
// [Waiter], which is in one list for each mailbox that its agent claims from. When mail arrives in a mailbox, the first
// waiter in the list without a permit gets a permit. A permit tells the waiter to look into the mailbox; it reserves no
// work.
//
// These rules ensure that no mail stays unclaimed while a waiter could take it:
//
//  1. A waiter joins its lists before it looks for work, and mail is announced after its commit. So a waiter that looks
//     too early to see new mail gets a permit for the mail.
//  2. A waiter marks its permits as in use before it looks. So a waiter with an unused permit is still going to look.
//  3. A waiter that looks because of a permit and finds nothing passes the permit to the waiters behind it in the list.
//  4. A claim spends only the permit because of which the waiter looked. The work of any other permit is still pending.
//  5. A waiter looks again if its agent may take more work than before, because the agent registered or ended a handoff.
//  6. A waiter that leaves passes on its unspent permits.
//
// The lists are kept in memory. When the process ends, each client repeats its call at the next process, with the time
// at which its wait began. So the waiter gets its old position, and it begins by looking for work.
package longpoll

import (
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// Hub wakes the long polls of one process. Its methods, and the methods of its waiters, may be called concurrently. The
// methods do not block and read no store.
type Hub struct {
	mu       sync.Mutex // guards the fields below, and the marked fields of waiters
	lists    map[schemas.Address]waiterList
	waiters  map[*Waiter]bool
	places   map[string]*place // by request id, see place.go
	arrivals uint64
	changed  chan struct{} // closed and replaced at each change
}

// OperationEffects says which waiters an operation wakes. The zero value wakes only the calls that wait for any change.
// If an effect is missing, mail may stay unclaimed. A needless effect only makes a waiter look in vain.
type OperationEffects struct {
	Boxes     []schemas.Address // mailboxes with claimable work: one permit for each entry
	Freed     []schemas.Agent   // agents that hold less than before
	Regrouped bool              // some agents claim from other mailboxes than before
	Due       time.Time         // when the clock next changes a record of the operation; zero for never
}

// NewHub makes a hub without waiters.
func NewHub() *Hub {
	return &Hub{lists: map[schemas.Address]waiterList{}, waiters: map[*Waiter]bool{}, places: map[string]*place{}, changed: make(chan struct{})}
}

// NextChange returns a channel that the next change closes. A caller must get the channel before it reads the store:
// then it misses no change.
func (h *Hub) NextChange() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// HasWaiterForAnyWork reports whether a long poll waits for any work in a mailbox. It ignores waiters that take only
// work with certain tags.
func (h *Hub) HasWaiterForAnyWork(box schemas.Address) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.lists[box], func(w *Waiter) bool { return !w.OnlyWithTags })
}

// Announce wakes waiters after an operation. For each entry of e.Boxes it gives one permit. It also wakes waiters that
// may take more work than before, and waiters that would otherwise sleep past e.Due. The caller also announces an
// operation if it does not know whether the commit succeeded, because a useless look does no harm.
func (h *Hub) Announce(e OperationEffects) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.changed)
	h.changed = make(chan struct{})
	for _, box := range e.Boxes {
		h.lists[box].grantPermit(box)
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
