package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"handoff/schemas"
)

// originGuard refuses requests from pages of other sites. A browser sends requests of any page to any server, even to a
// server that only listens on loopback. The browser adds the host name that it used (Host), and the origin of the page
// (Origin).
type originGuard struct {
	cert  *certificate    // nil for none
	names map[string]bool // of this server
}

func newGuard(c Config, cert *certificate) (*originGuard, error) {
	g := &originGuard{cert: cert, names: map[string]bool{"localhost": true}}
	for _, host := range c.Hosts {
		name := normaliseHost(host)
		if name == "" || strings.ContainsAny(host, "/*@ ") {
			return nil, schemas.Invalidf("--host", "%q is no name of a host", schemas.EscapeHidden(host)).
				WithHint("Give the name as it is in URLs of this server: handoff.example.com.")
		}
		g.names[name] = true
	}
	return g, nil
}

// protect refuses requests for other hosts and of other origins.
func (g *originGuard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		refuse := func(format, header, hint string) {
			shown := schemas.EscapeHidden(schemas.Clip(header, 100)) // a text of a client, safe to be sent back
			writeError(w, http.StatusForbidden, schemas.Errorf(schemas.Denied, format, shown).WithHint("%s", hint))
		}
		switch {
		case !g.isAllowedHost(r):
			refuse("this server is not known as %q", r.Host, "If it is, whoever runs it has to say so: --host NAME.")
		case !isSameOrigin(r):
			refuse("pages of %q may not call this server", r.Header.Get("Origin"), "Call it from a program that is no page in a browser.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isAllowedHost reports whether the Host header is a name or an address of this server. It is false for a foreign name
// that resolves to the address of this server. An address is safe, because a page cannot make an address resolve to
// another server.
func (g *originGuard) isAllowedHost(r *http.Request) bool {
	host := normaliseHost(r.Host)
	if ip, err := netip.ParseAddr(host); err == nil {
		at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr) // at which its connection arrived
		if ip.IsLoopback() || ok && ip == at.AddrPort().Addr().Unmap().WithZone("") {
			return true
		}
	}
	return host != "" && (g.names[host] || g.cert.isValidFor(host))
}

// isSameOrigin reports whether a request comes from a page of this server, or from no page.
func isSameOrigin(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		return true
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	from := normaliseOrigin(given[0])
	return len(given) == 1 && from != "" && from == normaliseOrigin(scheme+r.Host)
}

// normaliseHost returns the name or address of a Host header for comparison. It removes the port, brackets and a final
// dot, and turns capitals into small letters.
func normaliseHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String() // an address can be written in many ways
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// normaliseOrigin returns an origin for comparison, in the form scheme://host[:port] without a default port. It returns
// "" for a text that is no origin.
func normaliseOrigin(text string) string {
	u, err := url.Parse(strings.ToLower(text))
	switch {
	case err != nil, u.Scheme == "", u.Hostname() == "", u.User != nil,
		u.RawQuery != "", u.Fragment != "", u.Path != "" && u.Path != "/",
		strings.Contains(u.Host, "*"): // it looks like many origins, and is none
		return ""
	}
	host := u.Host
	if usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]; usual == u.Port() {
		host = strings.TrimSuffix(host, ":"+usual)
	}
	return u.Scheme + "://" + host
}
