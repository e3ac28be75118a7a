package mcp

import (
	"fmt"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

const (
	eventStreamType = "text/event-stream"

	// beat is how often a silent stream says that it lives, so that nothing between closes it.
	beat = 15 * time.Second

	// taking bounds how long a client may take for one event.
	taking = 10 * time.Second
)

// eventStream is a response that goes on: each message is an event of its own (WHATWG HTML, server-sent events).
type eventStream struct {
	x      *exchange
	opened bool
}

func (x *exchange) events() *eventStream { return &eventStream{x: x} }

// open tells the client that a stream begins. It is called by the first event, if not before.
func (s *eventStream) open() {
	if s.opened {
		return
	}
	s.opened = true
	h := s.x.w.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // what nginx wants in order not to hold events back
	s.x.answer(http.StatusOK)
}

// send writes one message and tells whether the connection took it.
func (s *eventStream) send(message any) bool { return s.sendText(s.x.encode(message)) }

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

// live writes what clients pass over.
func (s *eventStream) live() bool { return s.write(": live\n\n") }

func (s *eventStream) write(format string, a ...any) bool {
	s.open()
	_ = s.x.control.SetWriteDeadline(s.x.config.Now().Add(taking))
	_, err := fmt.Fprintf(s.x.w, format, a...)
	taken := err == nil && s.x.control.Flush() == nil
	if taken {
		_ = s.x.control.SetWriteDeadline(time.Time{}) // in HTTP/2 one that passes ends the stream, also a silent one
	}
	return taken
}
