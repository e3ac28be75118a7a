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

// RequestHeader names a request for a load balancer that repeats it at another server if the first one failed. Its
// value is "SECONDS TEXT": the Unix time, with or without a fraction, and a text that is unique at that time. If the
// same caller repeats a call with the same arguments in a request of the same name, the call takes effect once, and the
// repeat gets the same result. In nginx it is "$msec $request_id".
//
// A name of another form, or a time more than [maxClockSkew] from now, is ignored: receipts are kept in the order of
// their times.
const RequestHeader = "Handoff-Request"

// maxClockSkew is the allowed difference between the clocks of the balancer and of the server.
const maxClockSkew = 10 * time.Minute

// namedRequest is a message in a request that has a name.
type namedRequest struct {
	at   time.Time
	name string
	id   string // of the message, because a request may have many
}

type namedRequestKey struct{}

// withNamedRequest stores the name of a request for the calls of a message.
func withNamedRequest(ctx context.Context, r *http.Request, m jsonrpc.Message, now time.Time) context.Context {
	name := r.Header.Get(RequestHeader)
	seconds, _, ok := strings.Cut(name, " ")
	since, err := strconv.ParseFloat(seconds, 64)
	if at := time.UnixMilli(int64(since * 1000)); ok && err == nil && at.Sub(now).Abs() < maxClockSkew {
		return context.WithValue(ctx, namedRequestKey{}, namedRequest{at, name, string(m.ID)})
	}
	return ctx
}

// requestID returns the id of a call. It is the same for the same call in a request of the same name.
func (s *Server) requestID(ctx context.Context, by schemas.Caller, tool string, args json.RawMessage) string {
	again, ok := ctx.Value(namedRequestKey{}).(namedRequest)
	if !ok {
		return s.config.NewRequestID()
	}
	call := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %s", again.name, again.id, by.Token, by.Agent, tool, args))
	return tools.NewRequestID(again.at, bytes.NewReader(call[:]))
}
