package relay

import (
	"context"
	"encoding/json"
	"log/slog"

	"handoff/tools"
)

// Connections are held: the claims of a client are renewed while its connection is open, and its process may
// be killed at any moment. So connection_open goes to the owner as a request that stays open. When it breaks,
// the owner closes the connection; when the owner ends, the request is made again at the next one.
const (
	openTool  = "connection_open"
	closeTool = "connection_close"
)

// connOf gives the connection that a call opens or closes.
func connOf(c tools.Call) string {
	var in struct {
		Conn string `json:"conn"`
	}
	_ = json.Unmarshal(c.Args, &in) // the tool refuses what it cannot read
	return in.Conn
}

// remember notes a connection before it is opened, so that an owner that comes in between hears of it too.
func (r *Relay) remember(c tools.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[connOf(c)] = c
}

// forget tells the owner's side that the connection needs no holding any more.
func (r *Relay) forget(c tools.Call) {
	conn := connOf(c)
	r.mu.Lock()
	delete(r.held, conn)
	s := r.seat
	r.mu.Unlock()
	if s != nil {
		s.way.drop(conn)
	}
}

// announce opens the connections of this process at a new seat, before it is used.
func (r *Relay) announce(ctx context.Context, s *seat) {
	r.mu.Lock()
	calls := make([]tools.Call, 0, len(r.held))
	for _, c := range r.held {
		calls = append(calls, c)
	}
	r.mu.Unlock()
	for _, c := range calls {
		c.ID = r.newID() // it is to be done again, not remembered
		if _, err := s.invoke(ctx, c); err != nil {
			r.config.Logger.WarnContext(ctx, "a connection was not announced", slog.Any("error", err))
		}
	}
}

// seatLost goes to the next owner at once if a connection is open, so that it hears of it though nobody
// calls.
func (r *Relay) seatLost() {
	r.mu.Lock()
	if r.closed || len(r.held) == 0 {
		r.mu.Unlock()
		return
	}
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	if _, err := r.sit(r.life); err != nil && r.life.Err() == nil {
		r.config.Logger.Warn("no owner of the store", slog.Any("error", err))
	}
}
