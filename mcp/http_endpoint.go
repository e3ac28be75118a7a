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
	// Caller returns the caller of a request. Its error is a *[schemas.Error]. The server refuses the request with the
	// status of the error's code. The exception is a tool call if a limit is reached or the token cannot be checked
	// now: its result contains the error, so that a model reads it.
	Caller func(*http.Request) (schemas.Caller, error)

	// Recheck returns an error if Caller would now refuse a request that it accepted before, for example because the
	// token was revoked. The server calls it before the response to a long poll, and before each event of a stream.
	Recheck func(*http.Request) error

	// Challenge returns the status of the response to a request that Caller refused. If the client should send another
	// token, Challenge sets the header WWW-Authenticate (RFC 9110, section 11.6.1).
	Challenge func(h http.Header, refused error) (status int)

	Now func() time.Time // for the deadlines of reads and writes, and the names of requests

	Idle time.Duration // lifetime of an MCP session without requests and open streams, default 30 minutes

	// Sessions, Waits and Streams limit the number of MCP sessions, long polls and streams at a time. The default is
	// 10,000 sessions (2,000 for one token), 4,096 long polls (1,024 for one token) and 4,096 streams (1,024 for one
	// token).
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

// Endpoint is the Streamable HTTP transport of the MCP specification, for all revisions since 2025-03-26. Clients of
// revisions before 2026-07-28 have an MCP session. Each request of a newer revision stands alone. Endpoint does not
// check the headers Host and Origin, because the HTTP server does. It is safe for use by many goroutines.
//
// We do not use the SDK's own transport: in it, one client can cancel the requests of another, and open streams block a
// shutdown. It also does not report whether a response arrived, so a handoff could stay claimed by an agent that does
// not know it.
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

// NewEndpoint returns an HTTP handler for the server. The caller must call [Endpoint.Shutdown] after it has stopped
// serving the handler.
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
		x.respondWithRefusal(shutdownError().WithRetryAfter(time.Second))
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

// Shutdown ends long polls, streams and sessions, and returns when every request has its response. New requests are
// refused as unavailable. If ctx is done first, Shutdown cancels the running calls, and their responses say so. The
// exception is a request that is stuck, for example because its client does not read: Shutdown does not wait for it.
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

// useQuota limits the use of a resource for each token and for all tokens, so that one client cannot use all of it. It
// is safe for use by many goroutines.
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

// acquire adds n uses of the resource for a token. The caller later calls release with the same token and n. If a limit
// would be exceeded, acquire adds nothing and returns [schemas.Limit].
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
