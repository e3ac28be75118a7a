package auth

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// bearerOf returns the bearer in the header Authorization, empty when there is no header.
func bearerOf(h http.Header) (string, error) {
	values := h.Values("Authorization")
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", refuse(Malformed, "more than one header Authorization").withCode(invalidRequest)
	}
	scheme, bearer, _ := strings.Cut(values[0], " ")
	if bearer = strings.TrimLeft(bearer, " "); !strings.EqualFold(scheme, "Bearer") || bearer == "" {
		return "", refuse(Malformed, "the header Authorization is not the word Bearer and a token").withCode(invalidRequest)
	}
	return bearer, nil
}

// fromThisMachine reports whether a program on this machine made the request: it arrived at a loopback address, and has
// no header of a proxy. A proxy without such headers, as a tunnel, cannot be told apart.
func fromThisMachine(r *http.Request) bool {
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// guessSource is the address for which bad tokens are counted; for IPv6 the network of 64 bits, which one customer has.
func guessSource(remote string) string {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := addr.Addr().Unmap()
	if network, err := ip.Prefix(64); err == nil { // it is no IPv4
		return network.String()
	}
	return ip.String()
}
