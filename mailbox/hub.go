package mailbox

import (
	"sync"

	"handoff/schemas"
)

// hub wakes those who wait. It knows nothing of what happened: a waiter looks for itself.
type hub struct {
	mu      sync.Mutex // guards the fields below
	waiters map[schemas.Address]map[chan struct{}]bool
	all     chan struct{} // closed and replaced when anything changes
}

func newHub() *hub {
	return &hub{waiters: map[schemas.Address]map[chan struct{}]bool{}, all: make(chan struct{})}
}

// wait gives a channel that receives when one of the boxes changes, and a function that ends the wait.
func (h *hub) wait(boxes []schemas.Address) (woken <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, box := range boxes {
		if h.waiters[box] == nil {
			h.waiters[box] = map[chan struct{}]bool{}
		}
		h.waiters[box][ch] = true
	}
	return ch, func() { h.leave(boxes, ch) }
}

func (h *hub) leave(boxes []schemas.Address, ch chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, box := range boxes {
		delete(h.waiters[box], ch)
		if len(h.waiters[box]) == 0 {
			delete(h.waiters, box)
		}
	}
}

// anything gives a channel that is closed at the next change of anything.
func (h *hub) anything() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// changed wakes the waiters of the given boxes, and those who wait for anything.
func (h *hub) changed(boxes []schemas.Address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.all)
	h.all = make(chan struct{})
	for _, box := range boxes {
		for ch := range h.waiters[box] {
			select {
			case ch <- struct{}{}:
			default: // already told
			}
		}
	}
}
