package longpoll

import (
	"maps"
	"slices"
	"time"

	"handoff/schemas"
)

// Waiter is one call that waits for work. In a loop it joins the lists of the mailboxes that its agent claims from,
// looks if [Waiter.Join] says so, and then either spends the permit for a claim, or passes its permits on and sleeps
// until [Waiter.Woken]. The maker of a waiter calls [Waiter.Leave] at the end.
type Waiter struct {
	hub     *Hub
	since   time.Time // its position in every list, together with arrival
	arrival uint64
	until   time.Time
	woken   chan struct{} // holds one signal

	// Choosy says that the waiter takes only some mail. It is set before the first Join.
	Choosy bool

	// The mutex of the hub guards these.
	boxes       []schemas.Address        // mailboxes whose lists it is in
	granted     map[schemas.Address]bool // permits for which it has not looked yet
	inUse       map[schemas.Address]bool // permits for which it looks now
	mayTakeMore bool                     // than at its last look
}

// Arrive makes a waiter that is in no list yet. since is when its wait began, which decides its position; until is when
// it ends. Both may be in the past. The caller must call [Waiter.Leave], else permits go to a waiter that does not
// look.
func (h *Hub) Arrive(since, until time.Time) *Waiter {
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

// Woken returns a channel that signals that the waiter got a permit, may take more, or would sleep too long. The reason
// may have passed when the signal arrives: the receiver joins again and looks if Join says so.
func (w *Waiter) Woken() <-chan struct{} { return w.woken }

// Join puts the waiter into the lists of these mailboxes and of no others, each at its position, and tells whether the
// waiter has to look: because it may take other mail than before, or because it has permits. These are in use from then
// on.
func (w *Waiter) Join(boxes []schemas.Address) (look bool) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if w.mayTakeMore || !slices.Equal(w.boxes, boxes) {
		w.mayTakeMore = false
		w.move(boxes)
		w.wake() // its permits are for the look after this one
		return true
	}
	w.granted, w.inUse = w.inUse, w.granted // permits in use before are spent or passed on
	return len(w.inUse) > 0
}

// InUse returns the mailboxes whose permits the waiter now looks for, sorted. A permit stays in use until the waiter
// spends it, passes it on or leaves.
func (w *Waiter) InUse() []schemas.Address {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return slices.Sorted(maps.Keys(w.inUse))
}

// Spend ends the permit in use for the mailbox of the claimed handoff, if the waiter has one. Its other permits in use
// go to other waiters when it leaves.
func (w *Waiter) Spend(box schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.inUse, box)
}

// PassOn gives the permits in use to the waiters behind if their mailbox is among pending, and ends the others.
func (w *Waiter) PassOn(pending []schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	for box := range w.inUse {
		if slices.Contains(pending, box) {
			w.hub.lists[box].behind(w).grant(box)
		}
	}
	clear(w.inUse)
}

// Leave ends the wait. Unspent permits go to other waiters, whether they are in use or the waiter has not looked for
// them. It is called once.
func (w *Waiter) Leave() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.waiters, w)
	w.move(nil)
	for box := range w.inUse {
		w.hub.lists[box].grant(box)
	}
}

// move removes the waiter from the lists of other mailboxes, where its permits go to other waiters, and adds it to the
// lists of these mailboxes.
func (w *Waiter) move(boxes []schemas.Address) {
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
			queues[box].grant(box)
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

// WaitPeriod returns the beginning and the end of a caller's wait, for a call that waits at most seconds. A repeated
// wait, at this process or another, brings both ([schemas.Caller]). A wait of several calls keeps its beginning, and
// each call says when it ends. The function is pure. A beginning in the future counts as now, and no wait ends before
// now.
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
