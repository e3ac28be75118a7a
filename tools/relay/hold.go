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
	"time"

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

// forget drops a connection that is closed, or was not opened.
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
		_, err := s.invoke(ctx, c)
		if err != nil && !errors.Is(err, errMoved) {
			r.config.Logger.WarnContext(ctx, "a connection was not announced", slog.Any("error", err))
		}
	}
}

// seatLost goes to the next owner if a connection is open, so that it hears of it though nobody calls. The
// owner may be one that was stopped: it has closed the connection by the time it goes on.
func (r *Relay) seatLost() {
	r.mu.Lock()
	if r.closed || r.coming || len(r.held) == 0 {
		r.mu.Unlock()
		return
	}
	r.coming = true
	r.work.Add(1)
	r.mu.Unlock()
	defer r.work.Done()
	for r.comeBack() {
		select {
		case <-time.After(beat):
		case <-r.life.Done():
		}
	}
}

// comeBack tells whether it is to be tried again.
func (r *Relay) comeBack() bool {
	s, err := r.sit(r.life)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming = (err != nil || s.lost()) && !r.closed && len(r.held) > 0
	return r.coming
}

// holder is the request that holds a connection open.
type holder struct {
	mu      sync.Mutex    // guards the field below, and keeps opening and closing apart
	request *http.Request // the last one; nil when the connection is closed
}

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

// hold opens a connection and closes it when its process leaves without having said so.
func (o *owner) hold(w http.ResponseWriter, r *http.Request) {
	c, ok := o.read(w, r)
	if !ok {
		return
	}
	h := o.holderOf(connOf(c))
	out, err := h.open(r, func() (json.RawMessage, error) { return o.seat.way.Invoke(r.Context(), c) })
	if err != nil {
		respond(w, nil, err)
		return
	}
	respond(w, append(out, '\n'), nil)
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
	if o.seat.lost() {
		return // the next owner is told
	}
	c.Tool, c.ID = closeTool, o.relay.newID()
	err = h.close(r, func() error {
		_, err := o.seat.way.Invoke(o.seat.over, c)
		return err
	})
	if err != nil && !errors.Is(err, errMoved) {
		o.relay.config.Logger.WarnContext(o.seat.over, "a connection that broke was not closed", slog.Any("error", err))
	}
}

func (h *holder) open(r *http.Request, do func() (json.RawMessage, error)) (json.RawMessage, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out, err := do()
	if err == nil {
		h.request = r
	}
	return out, err
}

// closed notes that the process said itself that it leaves.
func (h *holder) closed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.request = nil
}

// close does nothing when the connection was closed, or another request holds it meanwhile.
func (h *holder) close(r *http.Request, do func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.request != r {
		return nil
	}
	h.request = nil
	return do()
}

// hold opens a connection with a request that stays open. When the owner ends it, the seat is lost.
func (c *client) hold(ctx context.Context, call tools.Call) (json.RawMessage, error) {
	defer c.await()()
	stream, cut := context.WithCancelCause(c.seat.over)
	answered := context.AfterFunc(ctx, func() { cut(context.Cause(ctx)) }) // until it is, the caller may give up
	rs, err := c.post(stream, pathHold, call)                              //nolint:bodyclose // closed by its reader, below
	if err != nil {
		cut(nil)
		return nil, err
	}
	out, err := firstLine(rs)
	if err != nil || !answered() {
		defer cut(nil)
		_ = rs.Body.Close() // nothing more is to come
		return nil, c.why(stream, cmp.Or(err, errMoved))
	}
	c.keep(connOf(call), func() { cut(nil) })
	go func() { // ends with the seat, at drop, or with the owner
		defer rs.Body.Close()
		_, _ = io.Copy(io.Discard, rs.Body) // nothing comes but the end
		if stream.Err() == nil {
			c.seat.lose(errMoved)
		}
	}()
	return out, nil
}

// firstLine reads the answer of a request that stays open.
func firstLine(rs *http.Response) (json.RawMessage, error) {
	if rs.StatusCode != statusDone {
		return result(rs.StatusCode, rs.Body)
	}
	line, err := bufio.NewReader(rs.Body).ReadBytes('\n')
	if err != nil {
		return nil, errMoved
	}
	return bytes.TrimSpace(line), nil
}

// keep notes how a held connection is let go of, and lets go of what held it before.
func (c *client) keep(conn string, cut context.CancelFunc) {
	c.mu.Lock()
	before := c.holds[conn]
	c.holds[conn] = cut
	c.mu.Unlock()
	if before != nil {
		before()
	}
}

// drop lets go of a connection.
func (c *client) drop(conn string) {
	c.mu.Lock()
	cut := c.holds[conn]
	delete(c.holds, conn)
	c.mu.Unlock()
	if cut != nil {
		cut()
	}
}
