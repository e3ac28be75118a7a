package mcp_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// callerOfBearer uses the token of a request as the name of the only agent that it may act as.
func callerOfBearer(r *http.Request) (schemas.Caller, error) {
	by := schemas.Caller{Via: schemas.ViaHTTP}
	if name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		by.Token, by.Agent, by.Names = name, schemas.Agent(name), []schemas.Agent{schemas.Agent(name)}
	}
	return by, nil
}

// acceptAll accepts every request when it is checked again.
func acceptAll(*http.Request) error { return nil }

func unchallenged(_ http.Header, refused error) int {
	return schemas.Codes[schemas.AsError(refused).Code].HTTP
}

// site serves an endpoint to clients in this process.
type site struct {
	*mcp.Endpoint
	t       *testing.T
	http    *httptest.Server
	through func(http.Handler) http.Handler // put between the server and its clients, nil for nothing
	dial    func(context.Context, string, string) (net.Conn, error)
	under   atomic.Int64 // requests under way
}

// serve serves on a port of this machine.
func serve(t *testing.T, cfg mcp.Config, c mcp.HTTPConfig) *site {
	t.Helper()
	return serveBehindHandler(t, cfg, c, nil)
}

func serveBehindHandler(t *testing.T, cfg mcp.Config, c mcp.HTTPConfig, through func(http.Handler) http.Handler) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &site{t: t, dial: new(net.Dialer).DialContext, through: through}
	s.start(smallBufferListener{l}, cfg, c)
	return s
}

// smallBufferListener makes the system buffer few bytes for a client that does not read.
type smallBufferListener struct{ net.Listener }

func (n smallBufferListener) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetWriteBuffer(4096)
	}
	return conn, err
}

// serveInBubble serves in a synctest bubble, where no port of the machine can be used.
func serveInBubble(t *testing.T, cfg mcp.Config, c mcp.HTTPConfig) *site {
	t.Helper()
	p := pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &site{t: t, dial: p.dial}
	s.start(p, cfg, c)
	return s
}

// start checks, at the end of the test, that the site left nothing behind.
func (s *site) start(l net.Listener, cfg mcp.Config, c mcp.HTTPConfig) {
	before := runtime.NumGoroutine()
	if c.Caller == nil {
		c.Caller = callerOfBearer
	}
	if c.Recheck == nil {
		c.Recheck = acceptAll
	}
	if c.Challenge == nil {
		c.Challenge = unchallenged
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	cfg.Caller = schemas.Caller{Via: schemas.ViaHTTP}
	s.Endpoint = mcp.New(cfg).NewEndpoint(c)
	s.http = &httptest.Server{Listener: l, Config: &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}}
	s.http.Start()
	s.t.Cleanup(func() {
		s.shutdown()
		s.http.Close()
		requireGoroutines(s.t, before)
	})
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.under.Add(1)
	defer s.under.Add(-1)
	var h http.Handler = s.Endpoint
	if s.through != nil {
		h = s.through(h)
	}
	h.ServeHTTP(w, r)
}

// awaitAtMostRunning waits until at most n requests are under way.
func (s *site) awaitAtMostRunning(n int64) {
	s.t.Helper()
	late := time.After(6 * patience)
	for s.under.Load() > n {
		select {
		case <-late:
			require.Fail(s.t, "requests go on")
		case <-time.After(time.Millisecond):
		}
	}
}

// callDelayer starts the calls of one tool only after the test releases them.
type callDelayer struct {
	tools.Invoker
	tool    string
	begun   chan struct{} // receives each call
	release chan struct{} // closed to let them go on
}

func (h callDelayer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool == h.tool {
		h.begun <- struct{}{}
		<-h.release
	}
	return h.Invoker.Invoke(ctx, c)
}

// resultDelayer holds the results of one tool back until the test releases them.
type resultDelayer struct {
	tools.Invoker
	tool    string
	done    chan struct{} // receives each result
	release chan struct{} // receives a value to release one
}

func (a resultDelayer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := a.Invoker.Invoke(ctx, c)
	if c.Tool == a.tool {
		a.done <- struct{}{}
		<-a.release
	}
	return out, err
}

// pipeListener is a listener whose connections have both ends in this process.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipeListener) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// shutdown ends the endpoint within the time that a process has.
func (s *site) shutdown() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.Shutdown(ctx)
	require.NoError(s.t, ctx.Err(), "it takes too long")
}
