package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/shell"
)

// Served is what the environment says of the server that handoff serve --http listens with.
type Served struct {
	At   string // HANDOFF_HTTP: an address as host:port, or a URL; empty: there is none
	Cert string // HANDOFF_TLS_CERT: the file of its certificate; empty: it has none
}

// Network examines the server that listens here.
func Network(ctx context.Context, served Served, web *http.Client, sh Shell) []Finding {
	if served.At == "" {
		return nil
	}
	u, err := served.url(ctx)
	if err != nil {
		return []Finding{failure(aboutNetwork, "HANDOFF_HTTP is no address: %v", err).
			try("export HANDOFF_HTTP=127.0.0.1:4263")}
	}
	if u.Scheme == "https" && served.Cert != "" {
		if web, err = trusting(web, served.Cert); err != nil {
			return []Finding{failure(aboutNetwork, "HANDOFF_TLS_CERT: %v", err)}
		}
		defer web.CloseIdleConnections()
	}
	return []Finding{health(ctx, u, web, served.start(u, sh))}
}

// url is the address at which the server can be asked from here. The server takes it for its own, whatever names it
// has.
func (s Served) url(ctx context.Context) (*url.URL, error) {
	if strings.Contains(s.At, "://") {
		u, err := url.Parse(s.At)
		if err == nil && u.Host == "" {
			err = errors.New("it names no host")
		}
		return u, err
	}
	host, port, err := net.SplitHostPort(s.At)
	if err != nil {
		return nil, errors.New("it is no host:port")
	}
	u := &url.URL{Scheme: "http", Host: net.JoinHostPort(reachable(ctx, host), port)}
	if s.Cert != "" {
		u.Scheme = "https"
	}
	return u, nil
}

// reachable is an address of this machine for a server that listens at a host.
func reachable(ctx context.Context, host string) string {
	if host == "" || strings.EqualFold(host, "localhost") {
		return "127.0.0.1"
	}
	ctx, end := context.WithTimeout(ctx, reaching)
	defer end()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(found) == 0 {
		return host // asking there will tell why
	}
	at := found[0].Unmap()
	switch {
	case !at.IsUnspecified():
		return at.String()
	case at.Is4():
		return "127.0.0.1"
	}
	return "::1"
}

// start is the command that starts the server. A server without a certificate must not listen at all addresses.
func (s Served) start(u *url.URL, sh Shell) string {
	host, _, err := net.SplitHostPort(s.At)
	at, errIP := netip.ParseAddr(host)
	all := host == "" || errIP == nil && at.IsUnspecified()
	switch {
	case err != nil:
		return starting(u, sh)
	case s.Cert == "" && all:
		return sh.line("serve --http %s", shell.Quote(u.Host))
	}
	return sh.line("serve --http %s", shell.Quote(s.At))
}

// trusting gives a client that trusts only the server with the certificate in a file.
func trusting(web *http.Client, file string) (*http.Client, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: nameOf(leaf), MinVersion: tls.VersionTLS12}
	return &http.Client{Transport: transport, CheckRedirect: web.CheckRedirect}, nil
}

// nameOf is a name that a certificate is valid for.
func nameOf(leaf *x509.Certificate) string {
	switch {
	case len(leaf.DNSNames) > 0:
		return strings.Replace(leaf.DNSNames[0], "*", client.ServerName, 1)
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	}
	return ""
}
