package longpoll

import (
	"maps"
	"slices"
	"time"

	"handoff/schemas"
)

// Waiter is one call that waits for work. The call runs a loop. It calls [Waiter.JoinLists], and looks for work if
// JoinLists returns true. After a claim, it calls [Waiter.SpendPermit] and ends. Otherwise it calls
// [Waiter.PassOnPermits] and sleeps until [Waiter.WakeSignal]. At the end it must call [Waiter.EndWait].
type Waiter struct {
	hub     *Hub
	since   time.Time // its position in every list, together with arrival
	arrival uint64
	until   time.Time
	woken   chan struct{} // holds one signal

	// OnlyWithTags is true if the waiter takes only work with certain tags. It is set before the first call of
	// JoinLists.
	OnlyWithTags bool

	// The mutex of the hub guards these.
	boxes       []schemas.Address        // mailboxes whose lists it is in
	granted     map[schemas.Address]bool // permits for which it has not looked yet
	inUse       map[schemas.Address]bool // permits for which it looks now
	mayTakeMore bool                     // than at its last look
}

// NewWaiter returns a waiter that is in no list. The wait began at since, which decides the position of the waiter in
// each list, and ends at until. The caller must call [Waiter.EndWait] at the end, because otherwise the hub would go on
// giving permits to the waiter.
func (h *Hub) NewWaiter(since, until time.Time) *Waiter {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrivals++
	w := &Waiter{
		hub: h, since: since.Round(0), arrival: h.arrivals, until: until, // positions are compared by wall clock
		woken: make(chan struct{}, 1), granted: map[schemas.Address]bool{}, inUse: map[schemas.Address]bool{},
	}
	h.waiters[w] = true
	return w
}

// WakeSignal returns a channel that receives a signal when the waiter may have to look for work. The receiver calls
// [Waiter.JoinLists] again and looks only if JoinLists returns true.
func (w *Waiter) WakeSignal() <-chan struct{} { return w.woken }

// JoinLists puts the waiter into the lists of the given mailboxes and removes the waiter from all other lists. It
// returns true if the waiter has to look for work now. This is so if its mailboxes changed, if it may take more work
// than at its last look, or if it has a permit. Only in the last case, JoinLists marks the permits as in use.
func (w *Waiter) JoinLists(boxes []schemas.Address) (look bool) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if w.mayTakeMore || !slices.Equal(w.boxes, boxes) {
		w.mayTakeMore = false
		w.moveToLists(boxes)
		w.wake() // its permits are for the look after this one
		return true
	}
	w.granted, w.inUse = w.inUse, w.granted // permits in use before are spent or passed on
	return len(w.inUse) > 0
}

// PermitsInUse returns, sorted, the mailboxes of the permits that are in use. A permit is in use from the call of
// [Waiter.JoinLists] until the waiter spends the permit, passes it on or leaves.
func (w *Waiter) PermitsInUse() []schemas.Address {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return slices.Sorted(maps.Keys(w.inUse))
}

// SpendPermit removes the permit for a mailbox after a claim from the mailbox. It does nothing if no permit for the
// mailbox is in use.
func (w *Waiter) SpendPermit(box schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.inUse, box)
}

// PassOnPermits removes the permits that are in use. If pending contains the mailbox of a permit, the permit goes to a
// waiter behind this one in the list. Otherwise the permit ends, because the mailbox is empty.
func (w *Waiter) PassOnPermits(pending []schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	for box := range w.inUse {
		if slices.Contains(pending, box) {
			w.hub.lists[box].waitersBehind(w).grantPermit(box)
		}
	}
	clear(w.inUse)
}

// EndWait ends the wait. Each unspent permit goes to another waiter of the same mailbox. EndWait must be called exactly
// once.
func (w *Waiter) EndWait() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.waiters, w)
	w.moveToLists(nil)
	for box := range w.inUse {
		w.hub.lists[box].grantPermit(box)
	}
}

// moveToLists adds the waiter to the lists of the given mailboxes and removes it from all other lists. If it has a
// permit for a mailbox whose list it leaves, the permit goes to another waiter of the mailbox.
func (w *Waiter) moveToLists(boxes []schemas.Address) {
	queues := w.hub.lists
	for _, box := range w.boxes {
		if slices.Contains(boxes, box) {
			continue
		}
		queues[box] = slices.DeleteFunc(queues[box], func(other *Waiter) bool { return other == w })
		if len(queues[box]) == 0 {
			delete(queues, box)
		}
		if w.granted[box] {
			delete(w.granted, box)
			queues[box].grantPermit(box)
		}
	}
	for _, box := range boxes {
		queues[box] = queues[box].insert(w)
	}
	w.boxes = boxes
}

// wake sends one signal to the waiter. It does nothing if the waiter has not yet received the last signal.
func (w *Waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it has a signal already
	}
}

// WaitPeriod returns the beginning and the end of a call that waits at most the given number of seconds. If the caller
// states a beginning or an end, because the call continues or repeats an earlier call, WaitPeriod keeps the stated
// time. Even if the clock was set meanwhile, the beginning is never after now, and the end is at most the given number
// of seconds after now and never before now.
func WaitPeriod(by schemas.Caller, seconds int, now time.Time) (since, until time.Time) {
	if since = by.Since; since.IsZero() || since.After(now) {
		since = now
	}
	longest := time.Duration(seconds) * time.Second
	if until = by.Until; until.IsZero() {
		until = since.Add(longest)
	}
	left := min(until.Sub(now), longest) // setting the clock makes no wait longer
	return since, now.Add(max(left, 0))
}
