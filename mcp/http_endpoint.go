package mcp

import (
	"context"
	"net/http"
	"sync"
	"time"

	"handoff/schemas"
)

// HTTPConfig wires an [Endpoint]. Caller and Now are required.
type HTTPConfig struct {
	// Caller says who makes a request, as far as the request proves it. Errors are *[schemas.Error]. A refused
	// call of a tool is told of a limit in its result, where a model reads it; all else is the status of the
	// response.
	Caller func(*http.Request) (schemas.Caller, error)

	// Still tells whether a request that Caller let in would be let in again. It is asked before a request that
	// waited is answered, and before whatever a stream has to say. Nil: it would.
	Still func(*http.Request) error

	// Challenge gives the header WWW-Authenticate for a request that Caller refused (RFC 9110, section 11.6.1),
	// empty for none, and tells whether a better token would help. Nil: neither.
	Challenge func(error) (value string, unauthorized bool)

	Now func() time.Time // for the deadlines of reads and writes

	Idle time.Duration // how long a session lasts without a request or an open stream, default 30 minutes

	// How many there may be at a time: in all, and of one bearer token. Defaults as in the constants below.
	Sessions, Waits, Streams Bound

	Messages Bound // how many bytes of messages and answers may be under way
}

// Bound is how many of a thing there may be. Zero means the default.
type Bound struct {
	All  int
	Each int // of one bearer token; callers without a token count as one
}

func (b Bound) or(standard Bound) Bound {
	if b == (Bound{}) {
		return standard
	}
	return b
}

const (
	sessionIdle = 30 * time.Minute

	// receiving and answering bound how long a client may take to send a message, and to take its answer.
	receiving = 30 * time.Second
	answering = 30 * time.Second

	// lastWords is how long calls that a shutdown cancels may take to be answered.
	lastWords = 250 * time.Millisecond
)

var (
	usualSessions = Bound{All: 10_000, Each: 2_000}
	usualWaits    = Bound{All: 4_096, Each: 1_024}
	usualStreams  = Bound{All: 4_096, Each: 1_024}
	usualBytes    = Bound{All: 256 << 20, Each: 64 << 20}
)

// Endpoint is the Streamable HTTP transport of the MCP specification, in all of its revisions since 2025-03-26,
// at whichever path it is put. Clients of revisions before 2026-07-28 have a session (websession.go); each
// request of a newer one stands alone. It looks at neither Host nor Origin: whoever listens does.
//
// It is ours, on top of the SDK's HandleMessage, as the transport over two streams is. The SDK's own lets one
// client cancel the requests of another, keeps what is under way from ending at shutdown, and does not tell
// whether an answer arrived, so that a claim would be held by nobody.
type Endpoint struct {
	server   *Server
	config   HTTPConfig
	sessions sessions
	held     quota // calls that wait
	open     quota // streams
	messages quota // bytes

	calls  context.Context // of all requests
	waits  context.Context // of those that an end cuts short, within calls
	hangUp context.CancelFunc
	cut    context.CancelFunc

	mu     sync.Mutex // guards the fields below
	ending bool
	work   sync.WaitGroup // requests under way
}

// HTTP gives the way in over HTTP. Call [Endpoint.Shutdown] when it is no longer served.
func (s *Server) HTTP(c HTTPConfig) *Endpoint {
	if c.Challenge == nil {
		c.Challenge = func(error) (string, bool) { return "", false }
	}
	if c.Idle == 0 {
		c.Idle = sessionIdle
	}
	if c.Still == nil {
		c.Still = func(*http.Request) error { return nil }
	}
	e := &Endpoint{server: s, config: c}
	e.held = quota{Bound: c.Waits.or(usualWaits), what: "calls that wait"}
	e.open = quota{Bound: c.Streams.or(usualStreams), what: "open streams"}
	e.messages = quota{Bound: c.Messages.or(usualBytes), what: "bytes of messages under way"}
	e.sessions = sessions{server: s, idle: c.Idle, Bound: c.Sessions.or(usualSessions)}
	e.calls, e.hangUp = context.WithCancel(context.Background())
	e.waits, e.cut = context.WithCancel(e.calls)
	return e
}

// ServeHTTP answers one request.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Endpoint: e, w: w, r: r, control: http.NewResponseController(w)}
	if !e.enter() {
		x.refuse(ending().After(time.Second))
		return
	}
	defer e.work.Done()
	defer x.over()
	switch r.Method {
	case http.MethodPost:
		x.post()
	case http.MethodGet:
		x.listen()
	case http.MethodDelete:
		x.end()
	default:
		x.notAllowed("POST, GET, DELETE")
	}
}

func (e *Endpoint) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ending {
		return false
	}
	e.work.Add(1)
	return true
}

// Shutdown cuts short what waits, ends all streams and sessions, and returns when every request is answered.
// When ctx is done before, what is still under way is cancelled, and answered so. What is stuck then, as on a
// client that does not read, is left behind: it ends with its connection.
func (e *Endpoint) Shutdown(ctx context.Context) {
	e.mu.Lock()
	e.ending = true
	e.mu.Unlock()
	e.cut()
	answered := make(chan struct{})
	go func() {
		e.work.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
		e.hangUp()
		select {
		case <-answered:
		case <-time.After(lastWords):
		}
	}
	e.hangUp()
	e.sessions.endAll()
}
