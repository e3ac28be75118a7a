package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// exchange is one HTTP request and the response to it.
type exchange struct {
	*Endpoint
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	by      schemas.Caller
	counted int // bytes of messages that it keeps in memory until it ends
}

// setCaller sets the caller of the request.
func (x *exchange) setCaller() (err error) {
	x.by, err = x.config.Caller(x.r)
	x.by.Trace = cmp.Or(x.by.Trace, validTraceparent(x.r.Header.Get(traceKey)))
	return err
}

// readMessage checks the headers and reads the body. If ok is false, it has already responded with an error.
func (x *exchange) readMessage() (text []byte, ok bool) {
	mediaType, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	encoding := x.r.Header.Get("Content-Encoding")
	switch {
	case err != nil || mediaType != "application/json":
		x.refuseBadRequest(http.StatusUnsupportedMediaType, "the Content-Type has to be application/json")
	case encoding != "" && encoding != "identity":
		x.refuseBadRequest(http.StatusUnsupportedMediaType, "a Content-Encoding is not understood")
	case x.r.ContentLength > jsonrpc.MaxLine:
		x.refuseTooLarge()
	default:
		return x.readBody()
	}
	return nil, false
}

// readBody reads the body. It responds with an error if the body is too slow or too long, or if the server shuts down.
func (x *exchange) readBody() (text []byte, ok bool) {
	_ = x.control.SetReadDeadline(x.config.Now().Add(readTimeout)) // if unsupported, the HTTP server has its own
	goOn := context.AfterFunc(x.waits, func() { _ = x.control.SetReadDeadline(time.Unix(1, 0)) })
	text, err := io.ReadAll(countingReader{http.MaxBytesReader(x.w, x.r.Body, jsonrpc.MaxLine), x})
	tooLarge, full := new(http.MaxBytesError), new(schemas.Error)
	switch {
	case !goOn():
		x.respondWithRefusal(shutdownError().WithRetryAfter(time.Second))
	case errors.As(err, &tooLarge):
		x.refuseTooLarge()
	case errors.As(err, &full):
		x.w.Header().Set("Connection", "close")
		x.respondWithRefusal(full)
	case err != nil:
		x.refuseBadRequest(http.StatusBadRequest, "the message broke off")
	default:
		_ = x.control.SetReadDeadline(time.Time{}) // from now on a read ends when the client leaves
		return text, true
	}
	return nil, false
}

// countingReader counts the bytes of a message while they arrive. It fails if the messages of all requests, or of one
// token, use too much memory.
type countingReader struct {
	io.Reader
	x *exchange
}

func (m countingReader) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if full := m.x.countBytes(n); full != nil {
		return 0, full
	}
	return n, err
}

// countBytes counts bytes that this exchange keeps in memory. [Endpoint.ServeHTTP] releases them at its end.
func (x *exchange) countBytes(n int) *schemas.Error {
	full := x.byteQuota.acquire(x.by.Token, n)
	if full == nil {
		x.counted += n
	}
	return full
}

func (x *exchange) refuseTooLarge() {
	x.w.Header().Set("Connection", "close") // the rest is not read
	x.refuseBadRequest(http.StatusRequestEntityTooLarge,
		"the message has more than %d bytes: put what is large into a file and send its path", jsonrpc.MaxLine)
}

// acceptsType reports whether the client accepts responses of a media type. A client without the header Accept accepts
// all types.
func (x *exchange) acceptsType(kind string) bool {
	accept := x.r.Header.Values("Accept")
	family, _, _ := strings.Cut(kind, "/")
	for element := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(element), ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case kind, family + "/*", "*/*":
			return true
		}
	}
	return len(accept) == 0
}

// refuseBadRequest responds that a request does not follow the protocol.
func (x *exchange) refuseBadRequest(status int, format string, a ...any) {
	x.writeMessage(status, (&jsonrpc.Message{}).ErrorResponse(sdk.INVALID_REQUEST, format, a...))
}

func (x *exchange) refuseMethod(allow string) {
	x.w.Header().Set("Allow", allow)
	x.refuseBadRequest(http.StatusMethodNotAllowed, "%s is not a method of this revision of the protocol", x.r.Method)
}

// respondWithRefusal responds with err. Nothing was done.
func (x *exchange) respondWithRefusal(err error) {
	e := schemas.AsError(err)
	status := x.config.Challenge(x.w.Header(), err)
	if e.Code == schemas.Internal {
		e = x.server.clientError(x.r.Context(), "http", e)
	}
	x.setRetryAfter(e)
	refused := (&jsonrpc.Message{}).ErrorResponse(sdk.INVALID_REQUEST, "%s", e.Message)
	refused.Error.Data = e
	x.writeMessage(status, refused)
}

func (x *exchange) setRetryAfter(e *schemas.Error) {
	if e.RetryAfter > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}

// deliverReply responds to a request. If the response did not arrive, as far as the connection shows, deliverReply
// undoes effects such as a claim, because the client does not know them.
func (x *exchange) deliverReply(r reply, modern bool) {
	arrived := false
	defer func() {
		if !arrived {
			r.undoEffects()
		}
	}()
	if r.message == nil { // it was cancelled: a stream without events
		x.w.Header().Set("Content-Type", eventStreamType)
		x.writeHeader(http.StatusOK)
		return
	}
	text, encoded := x.encodeMessage(r.message)
	if full := x.countBytes(len(text)); full != nil { // responses that no client reads are in memory too
		x.respondWithRefusal(full)
		return
	}
	arrived = x.r.Context().Err() == nil && x.writeText(httpStatusOf(r.message, modern), text) && encoded
}

// writeHeader writes the status of the response. The client then has writeTimeout to receive the rest.
func (x *exchange) writeHeader(status int) {
	_ = x.control.SetWriteDeadline(x.config.Now().Add(writeTimeout))
	x.w.WriteHeader(status)
}

// writeMessage responds with one message.
func (x *exchange) writeMessage(status int, message any) {
	text, _ := x.encodeMessage(message)
	x.writeText(status, text)
}

// writeText responds with a message and reports whether the connection took all of it.
func (x *exchange) writeText(status int, text []byte) bool {
	if status == http.StatusOK && !x.acceptsType(jsonText) && x.acceptsType(eventStreamType) {
		return x.newEventStream(nil).sendText(text)
	}
	x.w.Header().Set("Content-Type", jsonText)
	x.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	x.writeHeader(status)
	_, err := x.w.Write(text)
	return err == nil && x.control.Flush() == nil
}

// encodeMessage encodes a message, or an error in its place.
func (x *exchange) encodeMessage(message any) (text []byte, ok bool) {
	return jsonrpc.EncodeMessage(message, x.server.config.Logger)
}

// httpStatusOf returns the HTTP status of a response. Before revision 2026-07-28 it is always 200. Since then it
// depends on the code of the error.
func httpStatusOf(message any, modern bool) int {
	failed, ok := message.(sdk.JSONRPCError)
	if !ok || !modern {
		return http.StatusOK
	}
	switch failed.Error.Code {
	case sdk.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case sdk.INTERNAL_ERROR:
		return http.StatusOK
	}
	return http.StatusBadRequest
}
