package mailbox

import (
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// hub wakes those who wait. Who waits for anything is woken by every change and looks for itself. Who waits
// for something to claim is served first come first served: mail into a box hands a baton for that box to
// one in its line.
//
// No mail lies while one waits who may take it, because:
//   - A waiter joins its lines before it looks, and mail is announced after its commit: what a look could not
//     see yet is announced to a line in which the waiter stands.
//   - A baton goes to the first of the line that has none for the box. Who has one is yet to look, since a
//     waiter empties its set before it looks; so where everybody has one, everybody will look.
//   - After a look in vain it goes to those behind, because each of those ahead has looked since, or has a
//     baton of its own. It ends where nothing is pending or where all behind have one.
//   - One baton is used up for one handoff that was taken, and only by a look that was made for it. A look for
//     another reason, as the one on joining, takes what was announced to others: if it used up a baton, the
//     mail of that baton would lie.
//   - Who may take more than when it looked last, because it registered or holds less, is told to look again.
//   - Whoever leaves hands on what it did not use.
//
// Not every look waits its turn: whoever calls finds what lies there at that moment. A waiter that was
// forestalled keeps its place.
type hub struct {
	mu       sync.Mutex // guards the fields below, and those of waiters that say so
	lines    map[schemas.Address]line
	waiters  map[*waiter]bool
	arrivals uint64
	all      chan struct{} // closed and replaced when anything changes
}

// waiter is one call that waits for something to claim.
type waiter struct {
	since   time.Time // its place in every line, together with arrival
	arrival uint64
	until   time.Time
	woken   chan struct{} // holds one signal: there is a baton, or a reason to look at boxes and time again

	// These are guarded by the mutex of the hub. Its own call reads boxes and inHand without it: nobody else
	// changes them.
	boxes  []schemas.Address        // in whose lines it stands
	batons map[schemas.Address]bool // given and not yet looked at
	inHand map[schemas.Address]bool // for which it looks now
	again  bool                     // it may take what it could not take when it looked last
}

func newHub() *hub {
	return &hub{lines: map[schemas.Address]line{}, waiters: map[*waiter]bool{}, all: make(chan struct{})}
}

// arrive makes a waiter that stands in no line yet. Since and until may be in the past. It is to leave.
func (h *hub) arrive(since, until time.Time) *waiter {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrivals++
	w := &waiter{
		since: since.Round(0), arrival: h.arrivals, until: until, // places are compared by the clock on the wall alone
		woken: make(chan struct{}, 1), batons: map[schemas.Address]bool{}, inHand: map[schemas.Address]bool{},
	}
	h.waiters[w] = true
	return w
}

// lineUp puts w into the lines of these boxes and no other, each at its place, and tells whether it is to look:
// because it may take other mail than before, or for its batons, which it takes in hand.
func (h *hub) lineUp(w *waiter, boxes []schemas.Address) (look bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.again || !slices.Equal(w.boxes, boxes) {
		w.again = false
		h.move(w, boxes)
		w.wake() // what is in its set is for the look after this one
		return true
	}
	w.batons, w.inHand = w.inHand, w.batons // what was in hand is used up or passed on by now
	return len(w.inHand) > 0
}

func (h *hub) move(w *waiter, boxes []schemas.Address) {
	for _, box := range w.boxes {
		if slices.Contains(boxes, box) {
			continue
		}
		if h.lines[box] = h.lines[box].without(w); len(h.lines[box]) == 0 {
			delete(h.lines, box)
		}
		if w.batons[box] {
			delete(w.batons, box)
			h.lines[box].hand(box)
		}
	}
	for _, box := range boxes {
		h.lines[box] = h.lines[box].with(w)
	}
	w.boxes = boxes
}

// use ends the baton for which w took a handoff out of box.
func (h *hub) use(w *waiter, box schemas.Address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(w.inHand, box)
}

// pass hands what w looked for in vain to those behind it, as far as mail is still in these boxes.
func (h *hub) pass(w *waiter, pending []schemas.Address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for box := range w.inHand {
		if slices.Contains(pending, box) {
			h.lines[box].behind(w).hand(box)
		}
	}
	clear(w.inHand)
}

// leave ends a wait.
func (h *hub) leave(w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiters, w)
	h.move(w, nil)
	for box := range w.inHand {
		h.lines[box].hand(box)
	}
}

// anything gives a channel that is closed at the next change of anything.
func (h *hub) anything() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// changed tells of the effects of an operation: a baton for each mail, and a signal to those who may take more
// than before or would sleep too long.
func (h *hub) changed(e effects) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.all)
	h.all = make(chan struct{})
	for _, box := range e.boxes {
		h.lines[box].hand(box)
	}
	for _, agent := range e.freed {
		for _, w := range h.lines[schemas.Address(agent)] {
			w.again = true
			w.wake()
		}
	}
	if !e.regrouped && e.due == 0 {
		return
	}
	for w := range h.waiters {
		w.again = w.again || e.regrouped
		if w.again || e.due.Time().Before(w.until) {
			w.wake()
		}
	}
}
