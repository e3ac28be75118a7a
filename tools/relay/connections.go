package relay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"

	"handoff/tools"
	"handoff/tools/platform"
)

// The rules renew the claims of a client while its connection is open, and the process of this connection may be killed
// at any moment. So that the owner notices it, the process sends connection_open to the owner as a request that stays
// open. When this request breaks, the owner closes the connection. When the owner ends, the process repeats the request
// at the next owner.
const (
	openTool  = "connection_open"
	closeTool = "connection_close"
)

// connectionOf returns the connection that a call opens or closes.
func connectionOf(c tools.Call) string {
	var in struct {
		Conn string `json:"conn"`
	}
	_ = json.Unmarshal(c.Args, &in) // the tool refuses unreadable arguments
	return in.Conn
}

// rememberConnection stores a connection before it is opened, so that a new owner also hears of it if the owner changes in
// between.
//
// A connection that is opened again under the same name replaces the earlier one.
func (r *Relay) rememberConnection(c tools.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connections[connectionOf(c)] = c
}

// forgetConnection removes a connection that was closed, or that the owner refused to open.
//
// It is called after the closing call has ended, with any result: if the owner could not be reached, the end of the
// connection's request closes it.
func (r *Relay) forgetConnection(c tools.Call) {
	conn := connectionOf(c)
	r.mu.Lock()
	delete(r.connections, conn)
	current := r.route
	r.mu.Unlock()
	if current != nil {
		current.endpoint.dropConnection(conn)
	}
}

// announceConnections opens the connections of this process at a new route, before calls use it.
//
// If an owner refuses a connection, this is logged and the connection stays in the list. The caller of a tool waits
// for the announcement once for each owner, because its claims depend on it.
func (r *Relay) announceConnections(ctx context.Context, rt *route) {
	r.mu.Lock()
	calls := slices.Collect(maps.Values(r.connections))
	r.mu.Unlock()
	for _, c := range calls {
		c.ID = r.newID() // under the old id the owner would only repeat its result
		if _, err := rt.invoke(ctx, c); err != nil && !errors.Is(err, errMoved) {
			r.config.Logger.WarnContext(ctx, "a connection was not announced", slog.Any("error", err))
		}
	}
}

// reconnect looks for the next owner while connections are open, so that this owner hears of them even without a call.
// The next owner may be the same process as before, if that process was only stopped for a while: when it goes on, it
// closes connections whose requests broke.
//
// It is called when a route is lost. It tries each second until an owner knows the connections, all are closed, or
// the relay is closed.
func (r *Relay) reconnect() {
	r.mu.Lock()
	if r.closed || r.reconnecting || len(r.connections) == 0 {
		r.mu.Unlock()
		return
	}
	r.reconnecting = true
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	for r.reconnectOnce() {
		platform.Sleep(r.life, checkInterval)
	}
}

// reconnectOnce reports whether to try again.
func (r *Relay) reconnectOnce() bool {
	rt, err := r.connect(r.life)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reconnecting = (err != nil || rt.isLost()) && !r.closed && len(r.connections) > 0
	return r.reconnecting
}

// openRequest is, at the owner, the request that holds a connection open.
//
// A process may announce a connection twice, for instance after its first request broke. Only the newest request
// counts: the end of an older one closes nothing.
type openRequest struct {
	mu      sync.Mutex    // guards the field below, and keeps opening and closing apart
	request *http.Request // the newest; nil if the connection is closed
}

// openRequestOf returns the openRequest of a connection, and makes it if there is none. It lives as long as the
// owner.
func (o *owner) openRequestOf(conn string) *openRequest {
	h, _ := o.holds.LoadOrStore(conn, new(openRequest))
	return h.(*openRequest)
}

// handleHold opens a connection, and closes it if its process ends without closing it.
//
// The result goes out at once, as one line. The request then stays open until its process ends it, its process dies,
// or the owner ends. An owner that ends closes nothing: the process announces the connection to the next owner, which
// waits two minutes for that. If closing fails, this is logged; the claims of the connection then end with their
// leases.
func (o *owner) handleHold(w http.ResponseWriter, r *http.Request) {
	c, ok := o.readCall(w, r)
	if !ok {
		return
	}
	h := o.openRequestOf(connectionOf(c))
	h.mu.Lock()
	out, err := o.route.endpoint.Invoke(r.Context(), c)
	if err == nil {
		h.request = r
	}
	h.mu.Unlock()
	if err != nil {
		writeResult(w, nil, err)
		return
	}
	writeResult(w, append(out, '\n'), nil)
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if o.route.isLost() || h.request != r {
		return // its process announces it to the next owner, closed it, or holds it by a newer request
	}
	h.request = nil
	c.Tool, c.ID = closeTool, o.relay.newID()
	if _, err = o.route.endpoint.Invoke(o.route.life, c); err != nil && !errors.Is(err, errMoved) {
		o.relay.config.Logger.WarnContext(o.route.life, "a connection that broke was not closed", slog.Any("error", err))
	}
}

// markClosed notes that the process closed the connection itself.
func (h *openRequest) markClosed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.request = nil
}

// holdConnection opens a connection with a request that stays open. When the owner ends this request, the route is lost.
//
// Ctx counts until the result arrives; afterwards only drop and the end of the route end the request. The error is
// the error of the tool, unavailable if ctx ended, or errMoved. A repeat replaces the request.
func (c *client) holdConnection(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	stream, cut := context.WithCancelCause(c.route.life)
	answered := context.AfterFunc(ctx, func() { cut(context.Cause(ctx)) }) // until then the caller may give up
	rs, err := c.post(stream, pathHold, call)                              //nolint:bodyclose // closed below
	if err != nil {
		cut(nil)
		return nil, err
	}
	out, err := readFirstLine(rs)
	if err != nil || !answered() {
		defer cut(nil)
		_ = rs.Body.Close() // the result was read
		return nil, c.callError(stream, cmp.Or(err, errMoved))
	}
	c.replaceHold(connectionOf(call), func() { cut(nil) })
	go func() { // ends with the route, at drop, or with the owner
		defer rs.Body.Close()
		_, _ = io.Copy(io.Discard, rs.Body) // no data follows, only the end
		if stream.Err() == nil {
			c.route.lose(errMoved)
		}
	}()
	return out, nil
}

// readFirstLine reads the result of a call, which is the first line of a response that stays open.
func readFirstLine(rs *http.Response) (json.RawMessage, error) {
	if rs.StatusCode != statusDone {
		return readResult(rs.StatusCode, rs.Body)
	}
	line, err := bufio.NewReader(rs.Body).ReadBytes('\n')
	if err != nil {
		return nil, errMoved
	}
	return bytes.TrimSpace(line), nil
}

// replaceHold stores the function that ends the request of a connection, nil for none, and ends the earlier request.
func (c *client) replaceHold(conn string, cut context.CancelFunc) {
	c.mu.Lock()
	before := c.holds[conn]
	if c.holds[conn] = cut; cut == nil {
		delete(c.holds, conn)
	}
	c.mu.Unlock()
	if before != nil {
		before()
	}
}

// dropConnection ends the request that holds a connection open. It does nothing if there is none.
func (c *client) dropConnection(conn string) { c.replaceHold(conn, nil) }
