// Package longpoll decides which long polls (calls that wait for work or news) a change wakes, and in which order. It
// identifies mailboxes by their address, and orders waiting calls by the time at which their wait began. It reads no
// store and applies no rules: package mailbox reads the store, and tells this package the [OperationEffects] of each
// operation.
//
// There are two kinds of waits. A call that waits for any change receives from the channel of [Hub.NextChange], which
// every change closes, and then reads the store itself. A call that waits for work has a [Waiter]. The waiter stands in
// one list for each mailbox that its agent claims from; the longest wait is served first. When mail arrives in a
// mailbox, one waiter in the list of the mailbox gets a permit: the message that it should look into this mailbox now.
// A permit reserves no work. A call that does not wait may claim the work first; then the waiter finds nothing and
// keeps its position.
//
// No mail stays unclaimed while a waiter could take it. Six rules ensure that:
//  1. A waiter joins its lists before it looks, and mail is announced after its commit. So if a look is too early to
//     see some mail, the waiter is already in the list to which that mail is announced.
//  2. A permit goes to the first waiter in the list that has no permit for the mailbox. A waiter that has one is still
//     going to look, because it marks its permits as in use before it looks. So if all waiters have a permit, all of
//     them will look, and another permit is not needed.
//  3. If a waiter looks because of a permit and finds nothing, the permit goes to the waiters behind it. The waiters
//     ahead need no permit: each has looked since, or has a permit of its own. The permit ends if no mail is left or
//     if all waiters behind have one.
//  4. A claim spends one permit, and only the permit for which the waiter looked. A look for another reason, such as
//     the first look after joining, may take mail that was announced to other waiters. If that claim spent a permit,
//     the mail of the permit would stay unclaimed.
//  5. A waiter looks again if it may take more than at its last look, because its agent registered anew or holds fewer
//     handoffs.
//  6. A waiter that leaves passes on its unspent permits.
//
// The lists are kept in the memory of the process that owns the workspace. When this process ends, its waits break.
// Each client repeats its wait at the new owner with the time at which the wait began, and gets its old position. A
// repeated wait begins with a look into the mailboxes, so it finds mail that arrived in the meantime.
package longpoll

import (
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// Hub wakes the waiting calls of one process. Its methods, and the methods of its waiters, may be called concurrently.
// They do not block and read no store. The hub stores nothing: when its process ends, clients repeat their waits at the
// next owner of the workspace, with the time at which each wait began.
type Hub struct {
	mu       sync.Mutex // guards the fields below, and the marked fields of waiters
	lists    map[schemas.Address]waiterList
	waiters  map[*Waiter]bool
	arrivals uint64
	changed  chan struct{} // closed and replaced at each change
}

// OperationEffects are the facts about an operation that waiting calls have to hear. Even the zero value wakes the
// calls that wait for any change. If a caller announces more than happened, waiters look in vain; if it announces less,
// mail stays unclaimed.
type OperationEffects struct {
	Boxes     []schemas.Address // mailboxes with claimable work: one permit for each entry
	Freed     []schemas.Agent   // agents that were at their limit, and now hold less
	Regrouped bool              // some agents claim from other mailboxes than before
	Due       time.Time         // when the clock next changes a record of the operation; zero for never
}

// NewHub makes a hub without waiters.
func NewHub() *Hub {
	return &Hub{lists: map[schemas.Address]waiterList{}, waiters: map[*Waiter]bool{}, changed: make(chan struct{})}
}

// NextChange returns a channel that the next change closes. A caller that gets the channel first and then reads the
// store misses no later change. Each change closes the current channel and makes a new one, so a slow reader is woken
// once for many changes.
func (h *Hub) NextChange() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// HasWaiter reports whether a call waits that would take any work in a mailbox; it ignores waiters that take only some
// mail.
func (h *Hub) HasWaiter(box schemas.Address) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.lists[box], func(w *Waiter) bool { return !w.Choosy })
}

// Announce tells waiters about the effects of an operation. It is called after the commit, and also if it is unknown
// whether the commit succeeded, because a useless look does no harm. For each mailbox with new mail it gives a permit
// to one waiter. It also wakes waiters that may take more work than before, and waiters that would otherwise sleep past
// a time at which a handoff changes.
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
