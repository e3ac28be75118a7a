package longpoll

import (
	"maps"
	"time"

	"handoff/schemas"
)

// place is what the hub keeps of a wait between two of its looks. A client that polls makes each look in a call of its
// own, so nobody knows whether another look follows. The hub keeps places in memory: a wait that lost its place gets the
// position of its beginning again. The caller of removePlace owns the waiter of the place.
type place struct {
	by     schemas.Caller
	waiter *Waiter // nil for a wait that takes no work
	expiry *time.Timer
}

// leave ends the wait of a removed place.
func (p *place) leave() {
	p.expiry.Stop()
	if p.waiter != nil {
		p.waiter.EndWait()
	}
}

// ResumeWaiter returns the waiter that has a place under the request id of the caller, or a new one, see
// [Hub.NewWaiter]. It removes the place.
func (h *Hub) ResumeWaiter(by schemas.Caller, since, until time.Time) *Waiter {
	p := h.removePlace(by.Request, nil)
	if p == nil {
		return h.NewWaiter(since, until)
	}
	if p.expiry.Stop(); p.waiter != nil {
		return p.waiter
	}
	return h.NewWaiter(since, until)
}

// KeepPlace keeps the place of a wait for the Poll of the caller, and then ends the wait. The waiter is nil for a wait
// that takes no work.
func (h *Hub) KeepPlace(by schemas.Caller, w *Waiter) {
	h.EndPlace(by.Request) // of another look at the same time
	p := &place{by: by, waiter: w}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.places[by.Request] = p
	p.expiry = time.AfterFunc(by.Poll, func() {
		if h.removePlace(by.Request, p) != nil {
			p.leave()
		}
	})
}

// removePlace removes the place of a request and returns it, or nil if there is none. If the place has to be a certain
// one, it removes no other.
func (h *Hub) removePlace(request string, certain *place) *place {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.places[request]
	if certain != nil && p != certain {
		return nil
	}
	delete(h.places, request)
	return p
}

// EndPlace ends the wait of a request if it has a place.
func (h *Hub) EndPlace(request string) {
	if p := h.removePlace(request, nil); p != nil {
		p.leave()
	}
}

// EndPlacesOver ends the waits with a place whose last look came over a connection.
func (h *Hub) EndPlacesOver(conn string) {
	h.mu.Lock()
	places := maps.Clone(h.places)
	h.mu.Unlock()
	for request, p := range places {
		if p.by.Conn == conn && h.removePlace(request, p) != nil {
			p.leave()
		}
	}
}

// Polls reports whether a session has a wait with a place, and whether such a wait takes work.
func (h *Hub) Polls(agent schemas.Agent, session string) (some, forWork bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.places {
		if p.by.Agent == agent && p.by.AgentID == session {
			some, forWork = true, forWork || p.waiter != nil
		}
	}
	return some, forWork
}
