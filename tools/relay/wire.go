package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"handoff/schemas"
)

// What goes over the socket is HTTP/1.1 with JSON:
//
//	GET  /owner             who owns the store, at once, whatever it is doing: also the pulse
//	POST /yield             who precedes the owner asks it to make room; these two never change
//	POST /1/call            a tools.Call; its result
//	POST /1/hold            a call that opens a connection; its result, then nothing until one of both ends
//	GET  /1/changes?after=  changes as lines, until one of both ends
//
// Version 1 is the first. The status says what came of a call.
const (
	pathOwner   = "/owner"
	pathYield   = "/yield"
	pathCall    = "/1/call"
	pathHold    = "/1/hold"
	pathChanges = "/1/changes"

	statusDone    = http.StatusOK                  // the body is the result
	statusRefused = http.StatusUnprocessableEntity // the body is a schemas.Error
	statusMoved   = http.StatusServiceUnavailable  // nothing to read: call the next owner
	statusLate    = http.StatusConflict            // it was read after the caller may have given up: call again
)

// spoken are the versions of what is above that this program speaks.
var spoken = Versions{Min: 1, Max: 1}

// beginBy is the header that says until when a call may begin, in milliseconds since 1970. An owner that was
// stopped and goes on must not do what its callers have long given up.
const beginBy = "Handoff-Begin-By"

// promptness is how soon an owner begins what it is sent.
const promptness = time.Second

// maxBody bounds what a call may hold: above anything that the tools accept.
const maxBody = 64 << 20

// errBroken tells that an answer did not arrive whole.
var errBroken = errors.New("the answer broke off")

func late(r *http.Request, now time.Time) bool {
	by, err := strconv.ParseInt(r.Header.Get(beginBy), 10, 64)
	return err == nil && now.UnixMilli() > by
}

// streamed is one line of a stream of changes: a change, or the error that ends it.
type streamed struct {
	schemas.Change
	Error *schemas.Error `json:"error,omitempty"`
}

// respond writes what came of a call.
func respond(w http.ResponseWriter, out json.RawMessage, err error) {
	status := statusDone
	switch {
	case errors.Is(err, errMoved):
		status, out = statusMoved, nil
	case err != nil:
		status = statusRefused
		if out, err = json.Marshal(schemas.AsError(err)); err != nil {
			status = http.StatusInternalServerError
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(out) // whoever does not get it calls again
}

// result reads what came of a call. Body is read to its end unless the call is held.
func result(status int, body io.Reader) (json.RawMessage, error) {
	switch status {
	case statusDone:
		out, err := io.ReadAll(body)
		if err != nil {
			return nil, errBroken
		}
		return out, nil
	case statusRefused:
		var refused schemas.Error
		if err := json.NewDecoder(body).Decode(&refused); err != nil {
			return nil, errBroken
		}
		return nil, &refused
	case statusMoved:
		return nil, errMoved
	}
	return nil, schemas.InternalError(fmt.Errorf("the owner of the store answered with status %d", status))
}
