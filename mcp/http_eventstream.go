package mcp

import (
	"fmt"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

const (
	eventStreamType = "text/event-stream"

	// keepAliveInterval is how often a comment is sent on a silent stream, so that no proxy closes it.
	keepAliveInterval = 15 * time.Second

	// eventTimeout is how long a client may take to receive one event.
	eventTimeout = 10 * time.Second
)

// eventStream is a response in which each message is an event of its own (WHATWG HTML, server-sent events).
type eventStream struct {
	x      *exchange
	order  subscriptionOrder
	opened bool
}

func (x *exchange) events() *eventStream { return &eventStream{x: x} }

// open writes the headers, once. The first event calls it, if nobody did before.
func (s *eventStream) open() {
	if s.opened {
		return
	}
	s.opened = true
	h := s.x.w.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // else nginx holds events back
	s.x.writeHeader(http.StatusOK)
}

// send writes one message and reports whether the connection took it.
func (s *eventStream) send(message any) bool {
	text, _ := s.x.encode(message)
	return s.sendText(text)
}

func (s *eventStream) tell(notifications []sdk.JSONRPCNotification) bool {
	for _, n := range notifications {
		if !s.send(n) {
			return false
		}
	}
	return true
}

func (s *eventStream) sendText(text []byte) bool {
	return s.write("event: message\ndata: %s\n\n", text)
}

// keepAlive writes a comment, which clients ignore.
func (s *eventStream) keepAlive() bool { return s.write(": live\n\n") }

func (s *eventStream) write(format string, a ...any) bool {
	s.open()
	_ = s.x.control.SetWriteDeadline(s.x.config.Now().Add(eventTimeout))
	_, err := fmt.Fprintf(s.x.w, format, a...)
	taken := err == nil && s.x.control.Flush() == nil
	if taken {
		_ = s.x.control.SetWriteDeadline(time.Time{}) // in HTTP/2 a deadline that passes ends a silent stream too
	}
	return taken
}
