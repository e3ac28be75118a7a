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
	"net/http"
	"sync"

	"handoff/tools"
)

// holder is, at the owner, the request that holds a connection open.
//
// A process may announce a connection twice, for instance after its first request broke. Only the newest request
// counts: the end of an older one closes nothing.
type holder struct {
	mu      sync.Mutex    // guards the field below, and keeps opening and closing apart
	request *http.Request // the newest; nil when the connection is closed
}

// holderOf gives the holder of a connection, and makes it when there is none. Holders live as long as the owner.
func (o *owner) holderOf(conn string) *holder {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.holds[conn]
	if h == nil {
		h = &holder{}
		o.holds[conn] = h
	}
	return h
}

// handleHold opens a connection, and closes it when its process ends without having closed it.
//
// The result goes out at once, as one line; the request then stays open until its process ends it, its process dies, or
// the owner ends. The owner that ends closes nothing: the connection is announced to the next one, which gives it two
// minutes. A close that fails is logged; the claims of the connection then end with their leases.
func (o *owner) handleHold(w http.ResponseWriter, r *http.Request) {
	c, ok := o.readCall(w, r)
	if !ok {
		return
	}
	h := o.holderOf(connOf(c))
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
	if o.route.lost() || h.request != r {
		return // its process announces it to the next owner, closed it, or holds it by a newer request
	}
	h.request = nil
	c.Tool, c.ID = closeTool, o.relay.newID()
	if _, err = o.route.endpoint.Invoke(o.route.life, c); err != nil && !errors.Is(err, errMoved) {
		o.relay.config.Logger.WarnContext(o.route.life, "a connection that broke was not closed", slog.Any("error", err))
	}
}

// closed notes that the process closed the connection itself.
func (h *holder) closed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.request = nil
}

// hold opens a connection with a request that stays open. When the owner ends that request, the route is lost.
//
// Ctx counts until the result is there; afterwards only drop and the end of the route end the request. The error is
// that of the tool, unavailable when ctx ended, or errMoved. Repeating it replaces the request.
func (c *client) hold(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	defer c.trackCall()()
	stream, cut := context.WithCancelCause(c.route.life)
	answered := context.AfterFunc(ctx, func() { cut(context.Cause(ctx)) }) // until then the caller may give up
	rs, err := c.post(stream, pathHold, call)                              //nolint:bodyclose // closed below
	if err != nil {
		cut(nil)
		return nil, err
	}
	out, err := firstLine(rs)
	if err != nil || !answered() {
		defer cut(nil)
		_ = rs.Body.Close() // the result was read
		return nil, c.callError(stream, cmp.Or(err, errMoved))
	}
	c.setHold(connOf(call), func() { cut(nil) })
	go func() { // ends with the route, at drop, or with the owner
		defer rs.Body.Close()
		_, _ = io.Copy(io.Discard, rs.Body) // only its end comes
		if stream.Err() == nil {
			c.route.lose(errMoved)
		}
	}()
	return out, nil
}

// firstLine reads the result of a request that stays open.
func firstLine(rs *http.Response) (json.RawMessage, error) {
	if rs.StatusCode != statusDone {
		return readResult(rs.StatusCode, rs.Body)
	}
	line, err := bufio.NewReader(rs.Body).ReadBytes('\n')
	if err != nil {
		return nil, errMoved
	}
	return bytes.TrimSpace(line), nil
}

// setHold keeps the function that ends the request of a connection, nil for none, and ends the request before it.
func (c *client) setHold(conn string, cut context.CancelFunc) {
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

// drop ends the request that holds a connection open. It does nothing when there is none.
func (c *client) drop(conn string) { c.setHold(conn, nil) }
