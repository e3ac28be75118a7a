// Package web is an HTTP server around the handlers of its caller. The caller gives the handlers to [Listen] and then
// calls [Server.Serve]. The handlers authenticate callers.
//
// The package decides which addresses the server may listen on. It protects the handlers from pages of foreign sites,
// from clients that hold connections and send nothing, and from requests that never end.
//
// The limiter in conns.go accepts or rejects a connection. Each request of an accepted connection passes the access log
// (access.go), the deadlines (deadlines.go), the check of Host and Origin (guard.go), and the table of paths
// (routes.go).
package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config is the configuration of a server. MCP or Rooms, and Logger, are required.
type Config struct {
	Addr      string   // host:port; port 0 for any free one
	Cert, Key string   // PEM files, both or none; they are read again when they change
	Insecure  bool     // addresses other than loopback are allowed without a certificate
	Open      bool     // requests need no token, so only loopback addresses are allowed
	Hosts     []string // further names of the server

	MCP      http.Handler // at /mcp, with POST, GET and DELETE; it sets deadlines that are longer than Limits itself
	Rooms    http.Handler // at /w/, for the workspaces of a database; as MCP
	Nodes    http.Handler // at /node/, for other servers of the same database; it authenticates them itself, and the limits do not apply
	Metadata http.Handler // of the protected resource, for OAuth; nil for none
	Metrics  http.Handler // at /metrics; it authenticates its callers itself; nil for none

	// Ready returns an error if the server cannot do its work. The server calls Ready at most once a second, never
	// twice at once, and with a timeout of two seconds. If Ready is nil, the server is always ready.
	Ready func(context.Context) error

	Limits Limits
	Logger *slog.Logger
	Now    func() time.Time // nil for time.Now
}

// Limits keep single clients from shutting out other clients. For a zero value the server takes the default in the
// comment of the field.
type Limits struct {
	Conns   int           // connections at a time: 4096
	Streams int           // requests at a time over one connection of HTTP/2: 128
	Header  time.Duration // for the headers of a request, from its connection or first byte on: 5 s
	Body    time.Duration // for its body, from there on: 30 s
	Answer  time.Duration // for the response, unless its handler allows more: 10 s
	Idle    time.Duration // between requests: 2 min
}

// Server listens from [Listen] on, and responds from Serve on.
type Server struct {
	config         Config
	conns          *connLimiter
	listener       net.Listener
	http           *http.Server
	cancelRequests context.CancelFunc // ends the contexts of all requests
}

const maxHeaderBytes = 32 << 10

// Listen starts to listen, so clients can connect before Serve is called. The contexts of requests have the values of
// ctx, but do not end with ctx. The caller must call Shutdown at the end. Errors are *[schemas.Error] with a hint.
func Listen(ctx context.Context, c Config) (*Server, error) {
	c = c.withDefaults()
	at, err := resolveAddress(c.Addr)
	if err != nil {
		return nil, err
	}
	if err := c.checkMayListen(at); err != nil {
		return nil, err
	}
	cert, unusable := openCertificate(c)
	guard, err := newGuard(c, cert)
	if err = cmp.Or(unusable, err); err != nil {
		return nil, err
	}
	listener, err := listen(ctx, at)
	if err != nil {
		return nil, err
	}
	if cert == nil && !at.IP.IsLoopback() {
		warnInsecure(ctx, c.Logger, listener.Addr())
	}
	s := &Server{config: c, listener: listener, conns: newConnLimiter(c.Limits.Conns, c.Logger, c.Now)}
	s.http = s.newHTTPServer(ctx, guard)
	return s, nil
}

func (c Config) withDefaults() Config {
	c.Limits = Limits{
		Conns:   cmp.Or(c.Limits.Conns, 4096),
		Streams: cmp.Or(c.Limits.Streams, 128),
		Header:  cmp.Or(c.Limits.Header, 5*time.Second),
		Body:    cmp.Or(c.Limits.Body, 30*time.Second),
		Answer:  cmp.Or(c.Limits.Answer, 10*time.Second),
		Idle:    cmp.Or(c.Limits.Idle, 2*time.Minute),
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func (s *Server) newHTTPServer(ctx context.Context, guard *originGuard) *http.Server {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	s.cancelRequests = cut
	server := &http.Server{
		Handler:                      s.separateNodeRequests(s.logRequests(s.setDeadlines(guard.protect(s.routes())))),
		BaseContext:                  func(net.Listener) context.Context { return base },
		ConnState:                    s.conns.onStateChange,
		ReadHeaderTimeout:            s.config.Limits.Header,
		IdleTimeout:                  s.config.Limits.Idle,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true, // it would respond before the guard
		ErrorLog:                     slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: s.config.Limits.Streams,
			WriteByteTimeout:     s.config.Limits.Answer,
			SendPingTimeout:      s.config.Limits.Idle, // notices clients that left silent streams open
		},
	}
	if guard.cert != nil {
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: guard.cert.currentCertificate}
	}
	return server
}

// Addr returns the address on which the server listens. If the configured port was 0, the address has the port that the
// system chose.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve responds to requests until Shutdown, and then returns nil. It must be called only once.
func (s *Server) Serve() error {
	serve := s.http.Serve
	if s.http.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	if err := serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown accepts no more connections, and returns when all running requests have their responses. If ctx is done
// first, it cuts off the running requests and returns the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.conns.closeUnusedConns()
	err := s.http.Shutdown(ctx)
	s.cancelRequests()
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	_ = s.listener.Close() // in case Serve was not called
	return err
}
