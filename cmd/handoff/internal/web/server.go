// Package web is the HTTP server around handlers that others give it. It decides what may be listened on, and
// keeps away what no handler should have to think of: pages of foreign sites, clients that hold connections and
// say nothing, requests that never end. Who calls is the business of the handlers.
//
// A request passes, from outside: the access log (access.go), the limits of time (pace.go), the guard of Host and
// Origin (guard.go), CORS (cors.go) and the table of paths (routes.go). Before that, its connection was let in by
// the crowd (crowd.go).
package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config says what to serve, and where. MCP and Logger are needed.
type Config struct {
	Addr      string   // host:port; port 0 for any that is free
	Cert, Key string   // PEM files, both or none; they are read again when they change
	Insecure  bool     // other addresses than loopback may be served without a certificate
	Open      bool     // whoever comes is served: no other address than loopback
	Hosts     []string // further names that the server is reached by
	Origins   []string // whose pages in browsers may call, as https://example.com

	MCP      http.Handler // at /mcp, with POST, GET and DELETE; it sets the deadlines of what takes longer itself
	Metadata http.Handler // of the protected resource, for OAuth; nil for none

	// Ready tells whether the server can do its work. It is asked at most once a second, and at most once at
	// a time. Nil is always ready.
	Ready func(context.Context) error

	// Metrics writes the metrics in the text format of Prometheus; nil for none. MetricsAllowed refuses with
	// a *schemas.Error whoever may not read them; nil refuses nobody.
	Metrics        func(context.Context, io.Writer)
	MetricsAllowed func(*http.Request) error

	// Challenge gives the header WWW-Authenticate for such a refusal, empty for none, and tells whether a
	// better token would help; nil for neither.
	Challenge func(error) (value string, unauthorized bool)

	Limits Limits
	Logger *slog.Logger
	Now    func() time.Time // nil for time.Now
}

// Limits keep few clients from shutting out the others. Zero values stand for the defaults.
type Limits struct {
	Conns   int           // connections at a time: 4096
	Streams int           // requests at a time over one connection of HTTP/2: 128
	Header  time.Duration // for the headers of a request, from its connection or first byte on: 5 s
	Body    time.Duration // for its body, from there: 30 s
	Answer  time.Duration // for an answer to leave, unless its handler gives it more: 10 s
	Idle    time.Duration // between requests: 2 min
}

// Server listens, and serves once Serve is called. Use [Listen].
type Server struct {
	config   Config
	guard    *guard
	crowd    *crowd
	listener net.Listener
	http     *http.Server
	cut      context.CancelFunc // ends the contexts of all requests
}

const maxHeaderBytes = 32 << 10

// Listen listens on the address, so that clients may connect already. The contexts of requests have the values
// of ctx, but do not end with it. Errors are *schemas.Error and say the way out.
func Listen(ctx context.Context, c Config) (*Server, error) {
	c = c.withDefaults()
	at, err := resolve(c.Addr)
	if err != nil {
		return nil, err
	}
	if err := c.mayListen(at); err != nil {
		return nil, err
	}
	cert, err := openCertificate(c)
	if err != nil {
		return nil, err
	}
	guard, err := newGuard(c, cert)
	if err != nil {
		return nil, err
	}
	listener, err := listen(ctx, at)
	if err != nil {
		return nil, err
	}
	if cert == nil && !at.IP.IsLoopback() {
		warn(ctx, c.Logger, listener.Addr())
	}
	s := &Server{config: c, guard: guard, listener: listener, crowd: newCrowd(c.Limits.Conns, c.Logger, c.Now)}
	s.http = s.server(ctx, cert)
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
	if c.Challenge == nil {
		c.Challenge = func(error) (string, bool) { return "", false }
	}
	return c
}

func (s *Server) server(ctx context.Context, cert *certificate) *http.Server {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	s.cut = cut
	server := &http.Server{
		Handler:                      s.logged(s.paced(s.guard.keep(s.guard.share(s.routes())))),
		BaseContext:                  func(net.Listener) context.Context { return base },
		ConnState:                    s.crowd.state,
		ReadHeaderTimeout:            s.config.Limits.Header,
		IdleTimeout:                  s.config.Limits.Idle,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true, // it would answer before the guard
		ErrorLog:                     slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: s.config.Limits.Streams,
			WriteByteTimeout:     s.config.Limits.Answer,
			SendPingTimeout:      s.config.Limits.Idle, // a stream that says nothing may have nobody behind it
		},
	}
	if cert != nil {
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: cert.current}
	}
	return server
}

// Addr is where the server listens, with the port that was found free.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve answers until Shutdown, and then gives nil.
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

// Shutdown lets nobody in any more and returns when the requests under way are answered. When ctx is done
// before, they are cut off, and its error is given.
func (s *Server) Shutdown(ctx context.Context) error {
	s.crowd.disperse()
	err := s.http.Shutdown(ctx)
	s.cut()
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	_ = s.listener.Close() // which is left to do if nobody called Serve
	return err
}
