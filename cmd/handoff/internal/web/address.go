package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"syscall"

	"handoff/schemas"
)

// resolve returns the one address to listen on, so that the server listens on the address that was checked, whatever
// the name resolves to later.
func resolve(addr string) (*net.TCPAddr, error) {
	const hint = "Write it as 127.0.0.1:4263, or :4263 for all addresses of this machine."
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, schemas.Invalidf("--http", "%q is no host:port", schemas.Visible(addr)).WithHint(hint)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // whatever a resolver says
	}
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, schemas.Invalidf("--http", "%w", err).WithHint(hint)
	}
	return at, nil
}

// mayListen refuses an address at which others could act as agents, or read tokens, unless that was configured.
func (c Config) mayListen(at *net.TCPAddr) error {
	switch {
	case at.IP.IsLoopback():
		return nil
	case c.Open:
		return schemas.Errorf(schemas.Denied, "%s can be reached from other machines, and this workspace has no token: "+
			"whoever comes could act as any agent", at).
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
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, schemas.Errorf(schemas.Conflict, "another process listens on %s", at).
			WithField("--http").WithHint("Choose another port, or end that process.")
	case errors.Is(err, syscall.EACCES):
		return nil, schemas.Errorf(schemas.Denied, "this user may not listen on %s", at).
			WithField("--http").WithHint("Choose a port from 1024 on.")
	default:
		return nil, schemas.Errorf(schemas.Unavailable, "%w", err).
			WithField("--http").WithHint("Give an address of this machine and a port that is free.")
	}
}

// warn logs the risk of --insecure at each start.
func warn(ctx context.Context, log *slog.Logger, at net.Addr) {
	log.WarnContext(ctx, "no encryption: tokens and handoffs can be read on the network, "+
		"and whoever takes a token can act as its agents; give --tls-cert and --tls-key unless the network is private",
		slog.String("address", at.String()))
}
