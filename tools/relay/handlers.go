package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"handoff/schemas"
	"handoff/tools"
)

// handleOwner answers at once, also while the store is being opened.
func (o *owner) handleOwner(w http.ResponseWriter, _ *http.Request) {
	out, err := json.Marshal(o.note)
	writeResult(w, out, err)
}

// waitUntilOpen waits until the store is open. The error is errMoved if the store could not be opened.
func (o *owner) waitUntilOpen(ctx context.Context) error {
	select {
	case <-o.ready:
		return nil
	case <-ctx.Done():
		return errMoved
	}
}

// readCall reads a call. If ok is false, readCall has already sent the response. It reads the body to its end, because
// only then the server notices that the caller hangs up.
//
// It checks in this order: the body is a call, the begin-by time has not passed, and the store is open. It does not
// check the begin-by time again after it waited for the store.
func (o *owner) readCall(w http.ResponseWriter, r *http.Request) (c tools.Call, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = schemas.Decode(body, &c)
	}
	switch {
	case err != nil:
		writeResult(w, nil, schemas.InternalError(fmt.Errorf("read a call: %w", err)))
	case isLate(r, o.relay.config.Now()):
		w.WriteHeader(statusLate)
	case o.waitUntilOpen(r.Context()) != nil:
		writeResult(w, nil, errMoved)
	default:
		return c, true
	}
	return c, false
}

// handleCall runs a call. If the caller hangs up, the call's context ends, but a committed change stays. If the call
// closes a connection, handleCall records that, so that the end of the connection's request does not close it again.
func (o *owner) handleCall(w http.ResponseWriter, r *http.Request) {
	c, ok := o.readCall(w, r)
	if !ok {
		return
	}
	o.inflight.addCalls(1)
	defer o.inflight.addCalls(-1)
	out, err := o.route.endpoint.Invoke(r.Context(), c)
	if c.Tool == closeTool && err == nil {
		o.openRequestOf(connectionOf(c)).markClosed()
	}
	writeResult(w, out, err)
}

// handleChanges sends each event as soon as it is added. It ends with the request, with the owner, or after an error of
// the store.
func (o *owner) handleChanges(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err == nil {
		err = o.waitUntilOpen(r.Context())
	}
	if err != nil {
		writeResult(w, nil, err)
		return
	}
	writeResult(w, nil, nil)
	flush, lines := http.NewResponseController(w).Flush, json.NewEncoder(w)
	if flush() != nil {
		return
	}
	for c, err := range o.route.endpoint.Changes(r.Context(), after) {
		if errors.Is(err, errMoved) || r.Context().Err() != nil {
			return // a follower that is still connected goes on at the next owner
		}
		line := changeMessage{RegistryChange: c}
		if err != nil {
			line.Error = schemas.AsError(err)
		}
		if lines.Encode(line) != nil || flush() != nil {
			return
		}
	}
}

// callCounter counts the calls of other processes that run at this owner. A thousand waiting calls need more memory
// than the limit of a server with one client. So it calls notify with true when the number rises to 256 calls, and
// after that with false when the number falls to 64.
//
// The two numbers differ, so that a count that goes up and down around one number causes no series of calls. Notify is
// called with mu held.
type callCounter struct {
	notify func(many bool) // may be nil

	mu    sync.Mutex // guards the fields below
	calls int
	many  bool
}

// At 256 calls there are many, and there are few again when the number is down to 64.
const (
	manyCalls = 256
	fewCalls  = 64
)

// addCalls adds n calls, which may be negative.
func (c *callCounter) addCalls(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls += n
	if c.many && c.calls > fewCalls || !c.many && c.calls < manyCalls {
		return
	}
	c.many = !c.many
	if c.notify != nil {
		c.notify(c.many)
	}
}
