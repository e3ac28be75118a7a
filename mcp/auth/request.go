package auth

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// bearerOf gives what follows Bearer in the one header that is read, empty when there is no header.
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

// here tells that a program on this machine made the request: it arrived at a loopback address, and no proxy
// says that it forwards for somebody else. One that says nothing, as a tunnel does, cannot be told apart.
func here(r *http.Request) bool {
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// source is whom guesses are counted against: an address, or for IPv6 the network of 64 bits that one customer
// commands.
func source(remote string) string {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := addr.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return network.String()
}
