package mailbox

import (
	"sync"
	"time"

	"handoff/schemas"
)

// endings remembers which handoff each open connection ended last: what the connection sends next continues it. A
// connection is served by one process, so no other process has to know.
type endings struct {
	mu     sync.Mutex // guards latest
	latest map[string]ending
}

type ending struct {
	handoff schemas.ID
	at      time.Time
}

func newEndings() *endings { return &endings{latest: map[string]ending{}} }

// note notes that a connection ended a handoff.
func (e *endings) note(conn string, id schemas.ID, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latest[conn] = ending{id, at}
}

// within is the handoff that a connection ended last, if that was within the given time before now; else zero.
func (e *endings) within(conn string, now time.Time, d time.Duration) schemas.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	last, ok := e.latest[conn]
	if !ok || now.Sub(last.at) > d {
		return 0
	}
	return last.handoff
}

// forget drops what a connection ended that is gone.
func (e *endings) forget(conn string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.latest, conn)
}
