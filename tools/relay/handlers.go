package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
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
	defer o.countCall()()
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

// manyCalls is the number of running calls of other processes at which the owner takes the memory of a server of many
// clients. A thousand calls that wait need more than the limit of a server with one client.
const manyCalls = 256

// countCall counts a call of another process until the returned function is called.
func (o *owner) countCall() (done func()) {
	if o.calls.Add(1) == manyCalls {
		o.crowded.Do(func() { platform.SetMemoryLimit(true) })
	}
	return func() { o.calls.Add(-1) }
}
