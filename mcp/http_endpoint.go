package mcp

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"handoff/schemas"
)

// HTTPConfig has the settings of an [Endpoint]. Caller, Recheck, Challenge and Now are required.
type HTTPConfig struct {
	// Caller returns the caller of a request, as far as the request proves it. Errors are *[schemas.Error] and refuse
	// the request with the status of their code. Only a tool call that is refused for a limit gets the error in its
	// result, so that a model reads it.
	Caller func(*http.Request) (schemas.Caller, error)

	// Recheck returns an error if Caller would now refuse a request that it accepted before, for example because its
	// token was revoked. It is called before the response to a request that waited, and before each event of a stream.
	Recheck func(*http.Request) error

	// Challenge returns the header WWW-Authenticate for a request that Caller refused (RFC 9110, section 11.6.1), empty
	// for none. It also reports whether the status is 401 instead of the error's own.
	Challenge func(error) (value string, unauthorized bool)

	Now func() time.Time // for the deadlines of reads and writes, and the names of requests

	Idle time.Duration // lifetime of an MCP session without requests and open streams, default 30 minutes

	// Limits of MCP sessions, long polls and streams at a time, in all and of one bearer token. The defaults are 10,000
	// sessions in all and 2,000 of one token; for long polls and for streams they are 4,096 in all and 1,024 of one
	// token.
	Sessions, Waits, Streams UseLimit

	Messages UseLimit // bytes of messages and responses in memory, by default 256 and 64 MiB
}

// UseLimit is a limit for all clients together and for one bearer token. The zero value means the default.
type UseLimit struct {
	All  int
	Each int // of one bearer token; callers without a token count as one
}

const (
	sessionIdle = 30 * time.Minute

	// readTimeout is the time limit for a client to send a message, writeTimeout to receive the response.
	readTimeout  = 30 * time.Second
	writeTimeout = 30 * time.Second

	// cancelGrace is the time limit for the responses of calls that a shutdown cancels.
	cancelGrace = 250 * time.Millisecond
)

var (
	defaultSessions = UseLimit{All: 10_000, Each: 2_000}
	defaultWaits    = UseLimit{All: 4_096, Each: 1_024}
	defaultStreams  = UseLimit{All: 4_096, Each: 1_024}
	defaultBytes    = UseLimit{All: 256 << 20, Each: 64 << 20}
)

// Endpoint is the Streamable HTTP transport of the MCP specification, in all of its revisions since 2025-03-26, at any
// path. Clients of revisions before 2026-07-28 have an MCP session (http_session.go); each request of a newer revision
// stands alone. Endpoint checks neither Host nor Origin: the HTTP server does. It is safe for use by many goroutines.
//
// We implement it on top of the SDK's HandleMessage, like the transport over two streams. In the SDK's own transport
// one client can cancel the requests of another, open streams block a shutdown, and it does not report whether a
// response arrived, so a claim could remain without an agent that knows of it.
type Endpoint struct {
	server      *Server
	config      HTTPConfig
	sessions    sessions
	waitQuota   *useQuota // long polls
	streamQuota *useQuota // streams
	byteQuota   *useQuota // bytes

	calls  context.Context // of all requests
	waits  context.Context // of requests that a shutdown cuts short, within calls
	hangUp context.CancelFunc
	cut    context.CancelFunc

	mu     sync.Mutex // guards the fields below
	ending bool
	work   sync.WaitGroup // requests under way
}

// NewEndpoint returns a handler for the server. The caller calls [Endpoint.Shutdown] after it stops serving the
// handler.
func (s *Server) NewEndpoint(c HTTPConfig) *Endpoint {
	e := &Endpoint{server: s, config: c}
	e.waitQuota = newQuota("calls that wait", cmp.Or(c.Waits, defaultWaits))
	e.streamQuota = newQuota("open streams", cmp.Or(c.Streams, defaultStreams))
	e.byteQuota = newQuota("bytes of messages under way", cmp.Or(c.Messages, defaultBytes))
	e.sessions = sessions{
		UseLimit: cmp.Or(c.Sessions, defaultSessions), server: s, idle: cmp.Or(c.Idle, sessionIdle),
		byID: map[string]*mcpSession{},
	}
	e.calls, e.hangUp = context.WithCancel(context.Background())
	e.waits, e.cut = context.WithCancel(e.calls)
	return e
}

// ServeHTTP responds to one request.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Endpoint: e, w: w, r: r, control: http.NewResponseController(w)}
	if !e.beginRequest() {
		x.respondRefused(shutdownError().WithRetryAfter(time.Second))
		return
	}
	defer e.work.Done()
	defer func() { x.byteQuota.release(x.by.Token, x.counted) }()
	switch r.Method {
	case http.MethodPost:
		x.handlePost()
	case http.MethodGet:
		x.handleGet()
	case http.MethodDelete:
		x.handleDelete()
	default:
		x.refuseMethod("POST, GET, DELETE")
	}
}

func (e *Endpoint) beginRequest() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ending {
		return false
	}
	e.work.Add(1)
	return true
}

// Shutdown cuts long polls short, ends all streams and sessions, and returns when every request has its response.
// Requests that come meanwhile are refused as unavailable. If ctx is done first, the calls under way are cancelled, and
// their responses say so. A request that is still stuck, for example on a client that does not read, stays behind: it
// ends with its connection.
func (e *Endpoint) Shutdown(ctx context.Context) {
	e.mu.Lock()
	e.ending = true
	e.mu.Unlock()
	e.cut()
	if !returnsBefore(ctx, e.work.Wait) {
		e.hangUp()
		returnsWithin(cancelGrace, e.work.Wait)
	}
	e.hangUp()
	e.sessions.endAll()
}

// useQuota counts the use of a resource by clients, so that one client cannot use all of it. It is safe for use by many
// goroutines.
type useQuota struct {
	UseLimit
	what string // name of the resource, for errors

	mu   sync.Mutex // guards the fields below
	all  int
	each map[string]int // by bearer token
}

func newQuota(what string, b UseLimit) *useQuota {
	return &useQuota{UseLimit: b, what: what, each: map[string]int{}}
}

// acquire counts n more uses of the resource for a token, until the caller calls release with the same token and n. The
// error is [schemas.Limit] if a limit would be exceeded; then nothing was counted.
func (q *useQuota) acquire(token string, n int) *schemas.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all+n > q.All || q.each[token]+n > q.Each {
		return q.limitError(q.what)
	}
	q.all += n
	q.each[token] += n
	return nil
}

func (q *useQuota) release(token string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all -= n
	if q.each[token] -= n; q.each[token] == 0 {
		delete(q.each, token)
	}
}

// limitError returns the error of a request above the limit.
func (b UseLimit) limitError(what string) *schemas.Error {
	const text = "there are too many %s: at most %d of one token, %d in all"
	return schemas.Errorf(schemas.Limit, text, what, b.Each, b.All).
		WithHint("Nothing was done. End some, or try again in a few seconds.").WithRetryAfter(5 * time.Second)
}
