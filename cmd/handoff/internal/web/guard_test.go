package web_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/web"
)

// Each line is a request and its expected status.
func TestGuard_ChecksHostAndOrigin(t *testing.T) {
	s := startServer(t, web.Config{Hosts: []string{"Handoff.example.com.", "10.1.2.3", "2001:DB8:0::1"}})
	_, port, err := net.SplitHostPort(s.addr)
	require.NoError(t, err)
	own := "http://" + s.addr
	for _, c := range []struct {
		host, origin string // \n between several
		status       int
	}{
		{s.addr, "", 200},
		{"127.0.0.1", "", 200},
		{"127.9.9.9:1", "", 200},
		{"[::1]:4263", "", 200},
		{"localhost", "", 200},
		{"LOCALHOST.:80", "", 200},
		{"handoff.EXAMPLE.com:8080", "", 200},
		{"handoff.example.com.", "", 200},
		{"10.1.2.3:80", "", 200},
		{"[2001:db8::1]", "", 200},

		{"example.com", "", 403},
		{"evil.test:" + port, "", 403},
		{"sub.handoff.example.com", "", 403},
		{"localhost.evil.test", "", 403},
		{"127.0.0.1.evil.test", "", 403},
		{"10.0.0.1", "", 403},
		{"0.0.0.0:" + port, "", 403},

		{s.addr, own, 200},
		{s.addr, strings.ToUpper(own), 200},
		{"localhost:" + port, "http://localhost:" + port, 200},
		{"localhost", "http://localhost:80", 200},

		{s.addr, "https://" + s.addr, 403},
		{s.addr, "http://127.0.0.1", 403},
		{s.addr, "http://localhost:" + port, 403},
		{s.addr, "http://evil.test", 403},
		{s.addr, "http://evil.test:" + port, 403},
		{s.addr, "https://app.example.com", 403},
		{s.addr, own + ".evil.test", 403},
		{s.addr, "null", 403},
		{s.addr, " ", 403},
		{s.addr, "file://", 403},
		{s.addr, own + "\n" + own, 403},
		{s.addr, own + "\nhttp://evil.test", 403},
		{s.addr, own + ", http://evil.test", 403},
		{"evil.test", "http://evil.test", 403},
	} {
		t.Run(c.host+" "+c.origin, func(t *testing.T) {
			headers := ""
			for o := range strings.SplitSeq(c.origin, "\n") {
				if o != "" {
					headers += "Origin: " + o + "\n"
				}
			}
			response, body := s.sendRaw("GET /mcp HTTP/1.1\nHost: " + c.host + "\n" + headers + "\n")
			require.Equal(t, c.status, response.StatusCode)
			require.Equal(t, c.status == 200, body == "spoken")
			if c.status != 200 {
				require.Equal(t, "application/json", response.Header.Get("Content-Type"))
				require.Contains(t, body, `"code":"denied"`)
			}
		})
	}
}

func TestGuard_NeedsOneHost(t *testing.T) {
	s := startServer(t, web.Config{})
	response, _ := s.sendRaw("GET /mcp HTTP/1.1\n\n")
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	response, _ = s.sendRaw("GET /mcp HTTP/1.1\nHost: " + s.addr + "\nHost: evil.test\n\n")
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	response, _ = s.sendRaw("GET /mcp HTTP/1.1\nHost:\n\n")
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	response, _ = s.sendRaw("GET /mcp HTTP/1.0\n\n")
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	response, _ = s.sendRaw("GET http://evil.test/mcp HTTP/1.1\nHost: " + s.addr + "\n\n")
	require.Equal(t, http.StatusForbidden, response.StatusCode, "what is asked for counts")
	response, _ = s.sendRaw("OPTIONS * HTTP/1.1\nHost: evil.test\n\n")
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}
