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

// The protocol between a process and the owner is HTTP/1.1 with JSON:
//
//	GET  /owner             the Note of the owner without its address, at once, whatever the owner is doing
//	POST /yield             a Note of a process that precedes the owner; 202 when the owner gives the store up
//	POST /1/call            a tools.Call; its result
//	POST /1/hold            a call that opens a connection; its result, then nothing until one side ends the request
//	GET  /1/changes?after=  changes, one a line, until one side ends the request
//
// The first two are the same in every version, so that programs of any two versions can find out who owns the store and
// ask for it. The others belong to version 1, the first. The status tells the outcome of a call.
//
// All of them may be repeated safely. GET changes nothing. If a yield was granted and is sent again, it is refused,
// because the store is being closed already. A call and a hold carry the id of the call, under which the rules take
// effect once. A stream of changes can start at any number.
//
// The owner sets no time limit for a request except its begin-by time, because a wait may be long. A body is at most
// 64 MB. A status that is not listed below is a fault of the owner, and its caller gets an internal error.
//
// Fields may be added to a Note, to a call and to a result without a new version, because programs ignore fields that
// they do not know.
const (
	pathOwner   = "/owner"
	pathYield   = "/yield"
	pathCall    = "/1/call"
	pathHold    = "/1/hold"
	pathChanges = "/1/changes"

	statusDone    = http.StatusOK                  // the body is the result
	statusRefused = http.StatusUnprocessableEntity // the body is a schemas.Error
	statusMoved   = http.StatusServiceUnavailable  // no body: repeat the call at the next owner
	statusLate    = http.StatusConflict            // the call was read after its begin-by time and not begun: repeat it
)

// VersionRange is a range of versions of the protocol, both ends included.
//
// Two programs speak the highest version that both know. Programs without a common version do not share a store: the
// program that comes later gets the error unavailable, with a hint for a person.
type VersionRange struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// supported are the versions that this program speaks.
var supported = VersionRange{Min: 1, Max: 1}

// overlaps reports whether a version is in both ranges.
func (v VersionRange) overlaps(w VersionRange) bool { return min(v.Max, w.Max) >= max(v.Min, w.Min) }

// beginBy is the header with the latest time at which a call may begin, in milliseconds since 1970. When a stopped
// owner continues, its socket still has calls that their callers gave up long ago. The owner must not begin these
// calls.
//
// The caller waits until this time before it reports a failure, so a call that was reported as failed does not take
// effect later. Both processes use the clock of one machine. A request is never late if it has no such header, or if
// the header is no number.
const beginBy = "Handoff-Begin-By"

// beginWithin is the time from the sending of a call to its begin-by time.
const beginWithin = time.Second

// maxBody is the longest call in bytes, larger than any that the tools accept.
const maxBody = 64 << 20

// errBroken means that a result did not arrive completely.
var errBroken = errors.New("the answer broke off")

// isLate reports whether the begin-by time of a request is over.
func isLate(r *http.Request, now time.Time) bool {
	by, err := strconv.ParseInt(r.Header.Get(beginBy), 10, 64)
	return err == nil && now.UnixMilli() > by
}

// changeMessage is one line of a stream of changes: a change, or the error that ends it.
//
// After a line with an error the stream ends. A stream that ends without an error goes on at the next owner, after
// the last number.
type changeMessage struct {
	schemas.RegistryChange
	Error *schemas.Error `json:"error,omitempty"`
}

// writeResult answers a call.
//
// errMoved becomes statusMoved, any other error becomes statusRefused with the error as JSON, including its code,
// hint and advice. Without an error the body is out unchanged.
func writeResult(w http.ResponseWriter, out json.RawMessage, err error) {
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
	_, _ = w.Write(out) // a caller that does not get it repeats the call
}

// readResult reads the answer to a call to its end.
//
// The errors are the *[schemas.Error] from the owner, errMoved, and errBroken if the body did not arrive completely.
func readResult(status int, body io.Reader) (json.RawMessage, error) {
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
