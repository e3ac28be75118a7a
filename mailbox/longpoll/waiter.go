package longpoll

import (
	"maps"
	"slices"
	"time"

	"handoff/schemas"
)

// Waiter is one call that waits for work. In a loop the call joins the lists of the mailboxes that its agent claims
// from, and looks for work if [Waiter.JoinLists] returns true. If it claims a handoff, it spends the permit for the
// mailbox of that handoff. Otherwise it passes its permits on and sleeps until [Waiter.WakeSignal] signals. At the end
// it must call [Waiter.Leave].
type Waiter struct {
	hub     *Hub
	since   time.Time // its position in every list, together with arrival
	arrival uint64
	until   time.Time
	woken   chan struct{} // holds one signal

	// Choosy is true if the waiter takes only some of the mail in its mailboxes. Callers set it before the first Join.
	Choosy bool

	// The mutex of the hub guards these.
	boxes       []schemas.Address        // mailboxes whose lists it is in
	granted     map[schemas.Address]bool // permits for which it has not looked yet
	inUse       map[schemas.Address]bool // permits for which it looks now
	mayTakeMore bool                     // than at its last look
}

// NewWaiter makes a waiter that is in no list yet. since is when its wait began, which decides its position; until is
// when it ends. Both may be in the past. The caller must call [Waiter.Leave] at the end. Otherwise the hub goes on
// giving permits to a waiter that no longer looks.
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

// WakeSignal returns a channel that signals when the waiter got a permit, may take more work than before, or would
// sleep past a time at which a handoff changes. The reason may be out of date when the signal arrives. So the receiver
// calls [Waiter.JoinLists] again and looks only if Join returns true.
func (w *Waiter) WakeSignal() <-chan struct{} { return w.woken }

// JoinLists puts the waiter into the lists of these mailboxes, each at its position, and removes it from all other
// lists. It returns look as true if the waiter has to look for work now, because it may take other mail than before or
// because it has permits. If it looks because of its permits, these count as in use from then on, see
// [Waiter.PermitsInUse].
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

// PermitsInUse returns the mailboxes into which the waiter now looks because it has a permit for them, sorted. A permit
// stays in use until the waiter spends it, passes it on or leaves.
func (w *Waiter) PermitsInUse() []schemas.Address {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return slices.Sorted(maps.Keys(w.inUse))
}

// SpendPermit removes the waiter's permit for box, the mailbox of the handoff that it claimed, if that permit is in
// use. The other permits of the waiter go to other waiters when it leaves.
func (w *Waiter) SpendPermit(box schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.inUse, box)
}

// PassOnPermits removes the waiter's permits that are in use. If the mailbox of a permit is among pending (the
// mailboxes that still have mail), the permit goes to a waiter further behind in the list; otherwise it ends.
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

// Leave ends the wait. All permits that the waiter has not spent go to other waiters, also permits for which it has not
// looked yet. Leave must be called once.
func (w *Waiter) Leave() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.waiters, w)
	w.moveToLists(nil)
	for box := range w.inUse {
		w.hub.lists[box].grantPermit(box)
	}
}

// moveToLists removes the waiter from the lists of other mailboxes, where its permits go to other waiters, and adds it
// to the lists of these mailboxes.
func (w *Waiter) moveToLists(boxes []schemas.Address) {
	queues := w.hub.lists
	for _, box := range w.boxes {
		if slices.Contains(boxes, box) {
			continue
		}
		if queues[box] = queues[box].remove(w); len(queues[box]) == 0 {
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

// wake gives the waiter one signal. Further calls before its next look change nothing.
func (w *Waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it has a signal already
	}
}

// WaitPeriod returns the beginning and the end of a caller's wait, for a call that waits at most the given number of
// seconds. A repeated call has the times of its first wait in [schemas.Caller], also if the first call went to another
// process. If a wait consists of several calls, all have the beginning of the first call, and each has its own end. The
// function is pure. A beginning in the future counts as now, and no wait ends before now.
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
