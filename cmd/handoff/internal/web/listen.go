package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"handoff/schemas"
)

// resolveAddress returns the address to listen on. The server checks this address and listens on it, so a name that
// resolves to another address later changes nothing.
func resolveAddress(addr string) (*net.TCPAddr, error) {
	const hint = "Write it as 127.0.0.1:4263, or :4263 for all addresses of this machine."
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, schemas.Invalidf("--http", "%q is no host:port", schemas.EscapeHidden(addr)).WithHint(hint)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // without asking a resolver
	}
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, schemas.Invalidf("--http", "%w", err).WithHint(hint)
	}
	return at, nil
}

// checkMayListen refuses, in two cases, an address that other machines can reach: if requests need no token, or if
// traffic is not encrypted and the configuration does not allow plain traffic.
func (c Config) checkMayListen(at *net.TCPAddr) error {
	switch {
	case at.IP.IsLoopback():
		return nil
	case c.Open:
		return schemas.Errorf(schemas.Denied, "%s can be reached from other machines, and this workspace has no token: "+
			"every caller could act as any agent", at).
			WithField("--http").WithHint("handoff token add NAME --agents a,b makes one. Or listen on 127.0.0.1:%d.", at.Port)
	case c.Cert == "" && c.Key == "" && !c.Insecure:
		return schemas.Errorf(schemas.Denied, "%s can be reached from other machines, and there is no certificate: "+
			"tokens and handoffs could be read on the way", at).
			WithField("--http").WithHint("Give --tls-cert and --tls-key. On a network that is private, or behind a proxy "+
			"with a certificate, --insecure takes the risk. Or listen on 127.0.0.1:%d.", at.Port)
	}
	return nil
}

func listen(ctx context.Context, at *net.TCPAddr) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", at.String())
	used, denied := syscall.EADDRINUSE, syscall.EACCES
	if runtime.GOOS == "windows" { // Windows has its own codes
		used, denied = 10048, 10013
	}
	var e *schemas.Error
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, used):
		e = schemas.Errorf(schemas.Conflict, "another process listens on %s", at).
			WithHint("Choose another port, or end that process.")
	case errors.Is(err, denied):
		e = schemas.Errorf(schemas.Denied, "this user may not listen on %s", at).WithHint("Choose a port from 1024 on.")
	default:
		e = schemas.Errorf(schemas.Unavailable, "%w", err).
			WithHint("Give an address of this machine and a port that is free.")
	}
	return nil, e.WithField("--http")
}

// warnInsecure logs the risk of --insecure at each start.
func warnInsecure(ctx context.Context, log *slog.Logger, at net.Addr) {
	log.WarnContext(ctx, "no encryption: tokens and handoffs can be read on the network, "+
		"and whoever takes a token can act as its agents; give --tls-cert and --tls-key unless the network is private",
		slog.String("address", at.String()))
}

// certificate is the TLS certificate of the server. When its files change, for example at a renewal, it reads them
// again. If the new files cannot be read or do not match, it keeps the old certificate.
type certificate struct {
	cert, key string // files
	log       *slog.Logger
	now       func() time.Time

	mu   sync.Mutex // guards the fields below
	pair *tls.Certificate
	seen [2]fs.FileInfo // the files when they were last read
}

// openCertificate reads the configured certificate. It returns nil if the configuration has no certificate.
func openCertificate(c Config) (*certificate, error) {
	switch {
	case c.Cert == "" && c.Key == "":
		return nil, nil //nolint:nilnil // none is configured
	case c.Key == "":
		return nil, schemas.Invalidf("--tls-key", "is needed with --tls-cert").
			WithHint("It is the file of the certificate's key.")
	case c.Cert == "":
		return nil, schemas.Invalidf("--tls-cert", "is needed with --tls-key").
			WithHint("It is the file of the key's certificate.")
	}
	cert := &certificate{cert: c.Cert, key: c.Key, log: c.Logger, now: c.Now}
	return cert, cert.readFiles()
}

// currentCertificate returns the certificate for a handshake. If the files have changed, it reads the files first.
func (c *certificate) currentCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasChanged() {
		return c.pair, nil
	}
	if err := c.readFiles(); err != nil {
		c.log.Warn("the certificate changed and cannot be used: the one before stays", slog.Any("error", err))
	} else {
		c.log.Info("the certificate was read again", slog.Time("expires", c.pair.Leaf.NotAfter))
	}
	return c.pair, nil
}

// isValidFor reports whether the certificate is valid for a host name or an address. It is false if c is nil.
func (c *certificate) isValidFor(host string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.VerifyHostname(host) == nil
}

func (c *certificate) hasChanged() bool {
	for i, file := range []string{c.cert, c.key} {
		now, err := os.Stat(file)
		if err != nil {
			continue // it may be about to be replaced
		}
		was := c.seen[i]
		if was == nil || !os.SameFile(was, now) || !was.ModTime().Equal(now.ModTime()) || was.Size() != now.Size() {
			return true
		}
	}
	return false
}

func (c *certificate) readFiles() error {
	for i, file := range []string{c.cert, c.key} {
		c.seen[i], _ = os.Stat(file) // before it is read, so that a change in between is seen the next time
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		flag := "--tls-cert"
		if missing.Path == c.key {
			flag = "--tls-key"
		}
		return schemas.Invalidf(flag, "%w", err).WithHint("Give a file that this user can read.")
	}
	if err != nil {
		return schemas.Invalidf("--tls-cert", "%s and %s do not make a certificate with its key: %w", c.cert, c.key, err).
			WithHint("Both are PEM, the certificate with those between it and its root, its own first.")
	}
	if c.now().After(pair.Leaf.NotAfter) {
		c.log.Warn("the certificate is out of date: clients will refuse it", slog.Time("expired", pair.Leaf.NotAfter))
	}
	c.pair = &pair
	return nil
}
