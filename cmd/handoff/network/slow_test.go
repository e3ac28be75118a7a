//go:build unix

package network_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// idlers is how many connections there are over which nothing is asked.
const idlers = 1000

// shutWithin is how soon the server closes a connection over which no whole header comes.
const shutWithin = 15 * time.Second

// slow starts the slow clients. They stay while the others come and go.
func (h *hostility) slow(t *testing.T) {
	t.Helper()
	said := []string{"", "P", "POST /mcp HTTP/1.1\r\nHost: " + h.addr + "\r\n", "POST /mcp HTTP/1.1\r\nHost: " + h.addr + "\r\nX-Slow: "}
	for i := range idlers {
		conn := h.dial(said[i%len(said)])
		h.later(func() error { return quiet(conn) })
	}
	for range 4 {
		h.later(func() error { return trickle(h.dial("POST /mcp HTTP/1.1\r\nHost: " + h.addr + "\r\nX-Slow: ")) })
	}
	for range 4 {
		body := toolCall("list_agents", "{}")
		head, _, _ := strings.Cut(h.request(h.bad, body), "\r\n\r\n")
		h.drip(h.dial(head + "\r\n\r\n" + body[:10]))
	}
	for range 4 {
		h.sip(h.dial(h.listen()))
		h.sip(h.dial(strings.Repeat(h.large(), 200)))
	}
	require.NoError(t, h.ctx.Err())
}

// quiet waits until the server closes a connection over which nothing more is said.
func quiet(conn net.Conn) error {
	text, err := hears(conn, shutWithin)
	if err == nil && strings.HasPrefix(text, "HTTP/1.1 2") {
		return fmt.Errorf("nothing was asked, and it answered %q", text)
	}
	return err
}

// trickle says one byte of a header a second, until the server has enough of it.
func trickle(conn net.Conn) error {
	for began := time.Now(); time.Since(began) < shutWithin; pause(time.Second) {
		if _, cut := conn.Write([]byte("x")); cut != nil {
			return nil //nolint:nilerr // that is what it waits for
		}
	}
	return fmt.Errorf("the server read a header for %v", shutWithin)
}

// pause is how the slow are slow. Nobody waits for them.
func pause(d time.Duration) { <-time.After(d) }

// drip says one byte of a body a second, for as long as there is a server.
func (h *hostility) drip(conn net.Conn) {
	go func() {
		for h.ctx.Err() == nil {
			if _, err := conn.Write([]byte(" ")); err != nil {
				return
			}
			pause(time.Second)
		}
	}()
}

// sip reads one byte a second, for as long as there is a server.
func (h *hostility) sip(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetReadBuffer(1024) // as little as the system allows
	go func() {
		one := make([]byte, 1)
		for h.ctx.Err() == nil {
			if _, err := conn.Read(one); err != nil {
				return
			}
			pause(time.Second)
		}
	}()
}

// listen asks for a stream that has an event whenever the good client does something.
func (h *hostility) listen() string {
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["handoff://inbox/good"]}` +
		strings.TrimPrefix(toolCall("", "{}"), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"","arguments":{}`)
	text := h.request(h.bad, body)
	text = strings.Replace(text, "Connection: close\r\n", "", 1)
	text = strings.Replace(text, "Mcp-Method: tools/call", "Mcp-Method: subscriptions/listen", 1)
	return strings.Replace(text, "Mcp-Name: \r\n", "", 1)
}

// large asks for an answer of many bytes.
func (h *hostility) large() string {
	return strings.Replace(h.request(h.bad, toolCall("list_handoffs", `{"box":"all","limit":50}`)), "Connection: close\r\n", "", 1)
}
