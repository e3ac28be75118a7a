package longpoll

import (
	"maps"
	"slices"
	"time"

	"handoff/schemas"
)

// Waiter is one call that waits for something to claim. In a loop it joins the queues of the mailboxes that its
// agent claims from, looks if [Waiter.Join] says so, and then either spends the permit for what it took or passes
// its permits on and sleeps until [Waiter.Woken]. Whoever makes a waiter calls [Waiter.Leave] at the end.
type Waiter struct {
	hub     *Hub
	since   time.Time // its position in every queue, together with arrival
	arrival uint64
	until   time.Time
	woken   chan struct{} // holds one signal

	// Choosy says that it takes some mail and leaves other. It is set before the first Join.
	Choosy bool

	// The mutex of the hub guards these.
	boxes       []schemas.Address        // in whose queues it stands
	granted     map[schemas.Address]bool // permits for which it has not looked yet
	inUse       map[schemas.Address]bool // permits for which it looks now
	mayTakeMore bool                     // than when it looked last
}

// Arrive makes a waiter that stands in no queue yet. Since is when its wait began, which decides its position; until is
// when it ends. Both may be in the past. Whoever calls it calls [Waiter.Leave] in any case, else permits are given to a
// waiter that will not look.
func (h *Hub) Arrive(since, until time.Time) *Waiter {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrivals++
	w := &Waiter{
		hub: h, since: since.Round(0), arrival: h.arrivals, until: until, // positions are compared by the clock on the wall
		woken: make(chan struct{}, 1), granted: map[schemas.Address]bool{}, inUse: map[schemas.Address]bool{},
	}
	h.waiters[w] = true
	return w
}

// Woken receives a signal when the waiter was given a permit, may take more, or would sleep too long. A signal may come
// without any of these being true any more: whoever receives it joins again and looks as Join says.
func (w *Waiter) Woken() <-chan struct{} { return w.woken }

// Join puts the waiter into the queues of these mailboxes and of no other, each at its position, and tells whether
// it is to look: because it may take other mail than before, or for its permits, which are in use from now on.
func (w *Waiter) Join(boxes []schemas.Address) (look bool) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if w.mayTakeMore || !slices.Equal(w.boxes, boxes) {
		w.mayTakeMore = false
		w.move(boxes)
		w.wake() // the permits it has are for the look after this one
		return true
	}
	w.granted, w.inUse = w.inUse, w.granted // those that were in use are spent or passed on by now
	return len(w.inUse) > 0
}

// InUse are the mailboxes for whose permits the waiter looks now, sorted. They stay in use until it spends them, passes
// them on or leaves.
func (w *Waiter) InUse() []schemas.Address {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return slices.Sorted(maps.Keys(w.inUse))
}

// Spend ends the permit in use for the mailbox out of which the waiter took a handoff, if it has one. The other permits
// that are in use go to others when the waiter leaves.
func (w *Waiter) Spend(box schemas.Address) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.inUse, box)
}

// PassOn gives the permits in use to the waiters behind, as far as these mailboxes still hold mail, and ends the
// others.
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

// Leave ends the wait. Others are given the permits that the waiter did not spend, those in use and those for which it
// has not looked. It is called once.
func (w *Waiter) Leave() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.waiters, w)
	w.move(nil)
	for box := range w.inUse {
		w.hub.lists[box].grant(box)
	}
}

// move takes the waiter out of the queues of other mailboxes than these, where its permits go to others.
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

// wake gives the waiter one signal, however often it is called before the waiter looks.
func (w *Waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it has a signal already
	}
}

// WaitPeriod tells when the wait of a caller began and when it ends, for a call that waits so many seconds at most. A wait
// that is taken up again, at this process or another, brings both with it ([schemas.Caller]). A wait that is made of
// several calls keeps its beginning, and each call says when it ends. It is pure. A beginning in the future counts as
// now, and no wait ends before now.
func WaitPeriod(by schemas.Caller, seconds int, now time.Time) (since, until time.Time) {
	if since = by.Since; since.IsZero() || since.After(now) {
		since = now
	}
	longest := time.Duration(seconds) * time.Second
	if until = by.Until; until.IsZero() {
		until = since.Add(longest)
	}
	left := min(until.Sub(now), longest) // so that setting the clock makes no wait longer
	return since, now.Add(max(left, 0))
}
