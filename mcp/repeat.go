package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools"
)

// RequestHeader names a request for a load balancer that repeats the request at another server after a failure. If the
// same caller repeats a call under the same name and with the same arguments, the call takes effect once, and the
// repeat gets the same result.
//
// The value is "SECONDS TEXT": the Unix time, with or without a fraction, and a text that is unique at that time. In
// nginx it is "$msec $request_id". A value of another form, or a time more than [maxClockSkew] from now, is ignored.
const RequestHeader = "Handoff-Request"

// maxClockSkew is the allowed difference between the clocks of the balancer and of the server.
const maxClockSkew = 10 * time.Minute

// namedRequest identifies a message in an HTTP request that has the header [RequestHeader].
type namedRequest struct {
	at   time.Time
	name string
	id   string // of the message
}

type namedRequestKey struct{}

// withNamedRequest stores the name of an HTTP request in the context of a message.
func withNamedRequest(ctx context.Context, r *http.Request, m jsonrpc.Message, now time.Time) context.Context {
	name := r.Header.Get(RequestHeader)
	seconds, _, ok := strings.Cut(name, " ")
	since, err := strconv.ParseFloat(seconds, 64)
	if at := time.UnixMilli(int64(since * 1000)); ok && err == nil && at.Sub(now).Abs() < maxClockSkew {
		return context.WithValue(ctx, namedRequestKey{}, namedRequest{at, name, string(m.ID)})
	}
	return ctx
}

// requestID returns the id of a call. A call that is repeated under the same request name gets the same id.
func (s *Server) requestID(ctx context.Context, by schemas.Caller, tool string, args json.RawMessage) string {
	again, ok := ctx.Value(namedRequestKey{}).(namedRequest)
	if !ok {
		return s.config.NewRequestID()
	}
	call := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %s", again.name, again.id, by.Token, by.Agent, tool, args))
	return tools.NewRequestID(again.at, bytes.NewReader(call[:]))
}
