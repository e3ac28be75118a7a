package relay

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"handoff/tools"
)

// The rules renew the claims of a client while its connection is open, and the process of the client may be killed at
// any moment. So connection_open goes to the owner as a request that stays open (hold.go). When that request breaks,
// the owner closes the connection. When the owner ends, the request is made again at the next owner.
const (
	openTool  = "connection_open"
	closeTool = "connection_close"
)

// connOf is the connection that a call opens or closes.
func connOf(c tools.Call) string {
	var in struct {
		Conn string `json:"conn"`
	}
	_ = json.Unmarshal(c.Args, &in) // the tool refuses what it cannot read
	return in.Conn
}

// remember keeps a connection before it is opened, so that an owner that changes in between hears of it too.
//
// A connection that is opened again under the same name replaces the one before.
func (r *Relay) remember(c tools.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[connOf(c)] = c
}

// forget drops a connection that was closed, or that the owner refused to open.
//
// It is called after the call that closes it has ended, whatever its result: a connection whose owner could not be told
// is closed by the end of its request.
func (r *Relay) forget(c tools.Call) {
	conn := connOf(c)
	r.mu.Lock()
	delete(r.held, conn)
	current := r.route
	r.mu.Unlock()
	if current != nil {
		current.endpoint.drop(conn)
	}
}

// announceConnections opens the connections of this process at a new route, before calls use it.
//
// A connection that an owner refuses is logged and stays among those to announce. The caller of a tool waits for this
// once for each owner, because its claims depend on it.
func (r *Relay) announceConnections(ctx context.Context, rt *route) {
	r.mu.Lock()
	calls := make([]tools.Call, 0, len(r.held))
	for _, c := range r.held {
		calls = append(calls, c)
	}
	r.mu.Unlock()
	for _, c := range calls {
		c.ID = r.newID() // under the old id the owner would only repeat its result
		_, err := rt.invoke(ctx, c)
		if err != nil && !errors.Is(err, errMoved) {
			r.config.Logger.WarnContext(ctx, "a connection was not announced", slog.Any("error", err))
		}
	}
}

// reconnect looks for the next owner when a connection is open, so that the owner hears of it though nobody calls. The
// next owner may be the last one, which was stopped: when it goes on, it closes the connections whose requests broke.
//
// It is called when a route is lost. It tries each second until an owner knows of the connections, all are closed, or
// the relay is.
func (r *Relay) reconnect() {
	r.mu.Lock()
	if r.closed || r.reconnecting || len(r.held) == 0 {
		r.mu.Unlock()
		return
	}
	r.reconnecting = true
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	for r.reconnectOnce() {
		select {
		case <-time.After(checkInterval):
		case <-r.life.Done():
		}
	}
}

// reconnectOnce reports whether to try again.
func (r *Relay) reconnectOnce() bool {
	rt, err := r.connect(r.life)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reconnecting = (err != nil || rt.lost()) && !r.closed && len(r.held) > 0
	return r.reconnecting
}
