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

// The rules renew the claims of a client while its connection is open. The owner must therefore notice when the process
// of a connection is killed. So the process opens a connection by a request that stays open. When this request breaks,
// the owner closes the connection. When the owner ends, the process repeats the request at the next owner.
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

// rememberConnection stores a connection before it is opened. So if the owner changes meanwhile, the process announces
// the connection to the next owner. A connection with the same name is replaced.
func (r *Relay) rememberConnection(c tools.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connections[connectionOf(c)] = c
}

// forgetConnection removes a connection that was closed, or that the owner refused to open. It is called after the
// closing call has ended, with any result. If the closing call did not reach the owner, the end of the connection's
// request closes the connection.
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

// announceConnections opens the connections of this process at a new route, before calls use the route. Claims depend
// on open connections, so the first call waits for the announcement. If the owner refuses a connection, this is logged
// and the connection stays in the list.
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

// reconnect looks for the next owner when a route is lost and connections are open, so that the next owner knows the
// connections even without a call. It tries each second until an owner knows the connections, all connections are
// closed, or the relay is closed. The next owner may be the previous owner, if that was only stopped for a while. It
// must get the connections anew, because it closes connections whose requests broke.
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

// openRequest holds, at the owner, the request that keeps a connection open. A process may announce a connection twice,
// for example after its first request broke. Only the end of the newest request closes the connection.
type openRequest struct {
	mu      sync.Mutex    // guards the field below, and keeps opening and closing apart
	request *http.Request // the newest; nil if the connection is closed
}

// openRequestOf returns the openRequest of a connection, and makes one if there is none. The owner keeps it until the
// owner ends.
func (o *owner) openRequestOf(conn string) *openRequest {
	h, _ := o.holds.LoadOrStore(conn, new(openRequest))
	return h.(*openRequest)
}

// handleHold opens a connection for another process, and closes the connection if that process ends without closing it.
// It sends the result at once, as one line. The request then stays open until the process ends it, the process dies, or
// the owner ends.
//
// An owner that ends does not close the connection, because the process announces the connection to the next owner. The
// next owner waits two minutes for the announcement. An error of closing is logged, and the claims of the connection
// then end with their leases.
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

// holdConnection opens a connection with a request that stays open. When the owner ends this request, the route is
// lost. The end of ctx has an effect only until the result arrives. Later, dropConnection or the end of the route ends
// the request.
//
// The error is the error of the tool, unavailable if ctx ended, or errMoved. A repeat replaces the request.
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
	if before, held := c.holds.Swap(connectionOf(call), cut); held {
		before.(context.CancelCauseFunc)(nil)
	}
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

// dropConnection ends the request that keeps a connection open. It does nothing if there is no such request.
func (c *client) dropConnection(conn string) {
	if cut, held := c.holds.LoadAndDelete(conn); held {
		cut.(context.CancelCauseFunc)(nil)
	}
}
