package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"handoff/schemas"
)

// A guard keeps out pages of foreign sites. A browser sends whatever such a page wants to wherever it wants, also
// to a server that only listens on loopback; but it says under which name it found the server (Host), and whose
// page it was (Origin).
type guard struct {
	cert    *certificate    // nil for none
	names   map[string]bool // of this server
	origins map[string]bool // that may call
}

func newGuard(c Config, cert *certificate) (*guard, error) {
	g := &guard{cert: cert, names: map[string]bool{"localhost": true}, origins: map[string]bool{}}
	for _, host := range c.Hosts {
		name := hostname(host)
		if name == "" || strings.ContainsAny(host, "/*@ ") {
			return nil, schemas.Invalidf("--host", "%q is no name of a host", schemas.Visible(host)).
				WithHint("Give the name as it is in URLs of this server: handoff.example.com.")
		}
		g.names[name] = true
	}
	for _, o := range c.Origins {
		name, ok := origin(o)
		if !ok {
			return nil, schemas.Invalidf("--origin", "%q is no origin", schemas.Visible(o)).
				WithHint("Give scheme, host and port, if it is not the usual one: https://app.example.com.")
		}
		g.origins[name] = true
	}
	return g, nil
}

// keep lets through what comes from whom it may.
func (g *guard) keep(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case !g.knows(r):
			refuse(w, http.StatusForbidden, schemas.Errorf(schemas.Denied, "this server is not known as %q", shown(r.Host)).
				WithHint("If it is, whoever runs it has to say so: --host NAME."))
		case !g.welcomes(r):
			refuse(w, http.StatusForbidden, schemas.Errorf(schemas.Denied, "pages of %q may not call this server", shown(r.Header.Get("Origin"))).
				WithHint("If they shall, whoever runs it has to say so: --origin URL."))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knows tells whether the request asks for this server, and not for another that resolves to the same address.
// An address may be asked for as such: no page can have it resolve to anything else.
func (g *guard) knows(r *http.Request) bool {
	host := hostname(r.Host)
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip == arrived(r) || g.names[host] || g.cert.covers(host)
	}
	return host != "" && (g.names[host] || g.cert.covers(host))
}

// arrived is the address of this machine at which the request's connection arrived.
func arrived(r *http.Request) netip.Addr {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return at.AddrPort().Addr().Unmap().WithZone("")
}

// welcomes tells whether the request is of no page, of one of this server, or of one that was let in by name.
// Behind a proxy that ends TLS, those of the server itself have another scheme and need to be let in by name too.
func (g *guard) welcomes(r *http.Request) bool {
	said := r.Header.Values("Origin")
	if len(said) == 0 {
		return true
	}
	from, ok := origin(said[0])
	if !ok || len(said) > 1 {
		return false
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	own, ok := origin(scheme + r.Host)
	return ok && from == own || g.origins[from]
}

// hostname is the name or address in a Host header, as they are compared: without port, brackets and the dot at
// the end, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String() // an address can be written in many ways
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// origin gives an origin as origins are compared, and whether it is one: scheme://host[:port].
func origin(text string) (string, bool) {
	u, err := url.Parse(strings.ToLower(text))
	switch {
	case err != nil, u.Scheme == "", u.Hostname() == "", u.User != nil, u.RawQuery != "", u.Fragment != "", u.Path != "" && u.Path != "/":
		return "", false
	case strings.Contains(u.Host, "*"):
		return "", false // it would look like all of them, and be none
	}
	host := u.Host
	if usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]; usual == u.Port() {
		host = strings.TrimSuffix(host, ":"+usual)
	}
	return u.Scheme + "://" + host, true
}

// shown is what a client said, fit to be said back.
func shown(text string) string { return schemas.Visible(schemas.Clip(text, 100)) }
