package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"handoff/schemas"
)

// openTimeout is the time that a request waits until the mailbox knows its connection.
const openTimeout = 10 * time.Second

// connectionAnnouncer announces a connection to the mailbox and gets the agent name of the connection: the name in the
// configuration, or the name of the client. The mailbox adds a number if another client session has the name. It may
// change the name once, when the client first names its thread.
type connectionAnnouncer struct {
	server *Server
	conn   string      // empty for a connection that is not announced
	used   atomic.Bool // a request called the mailbox

	mu      sync.Mutex    // guards the fields below
	tried   bool          // connection_open was called
	known   bool          // connection_open succeeded
	agent   schemas.Agent // the agent name, from the mailbox
	id      string        // of the client session, as it was announced
	pending chan struct{} // closed at the end of the running call; nil for none
	ended   bool
}

// announce makes sure that the mailbox knows the connection, and returns the caller with the agent name from the
// mailbox. Concurrent requests share one call of connection_open, which is cancelled with the ctx of the first request.
// If that call fails, each request continues with the name that it had, and the next request announces the connection
// again.
func (n *connectionAnnouncer) announce(ctx context.Context, by schemas.Caller, limit time.Duration) schemas.Caller {
	by.Conn, by.AgentID = n.conn, cmp.Or(by.AgentID, n.conn)
	if n.conn == "" {
		return by
	}
	if pending, first := n.joinPendingCall(by); pending != nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if first {
			n.callOpen(ctx, by) // it closes pending
		}
		select {
		case <-pending:
		case <-ctx.Done():
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	by.Agent = cmp.Or(n.agent, by.Agent)
	return by
}

// isConfirmed reports whether the mailbox has confirmed this agent name for the connection. It also returns true if the
// server announces no connections, because then no name needs a confirmation.
func (n *connectionAnnouncer) isConfirmed(agent schemas.Agent) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.conn == "" || n.agent == agent
}

// joinPendingCall returns the channel of the running call of connection_open, nil if no call is needed. The result
// first is true if the caller of joinPendingCall must make the call.
func (n *connectionAnnouncer) joinPendingCall(by schemas.Caller) (pending chan struct{}, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	nameless := n.agent == "" && by.Agent != ""
	learned := n.id == n.conn && by.AgentID != n.conn // shells find the connection by that id
	if n.ended || n.known && !nameless && !learned {
		return nil, false
	}
	if n.pending == nil {
		n.pending, n.tried, first = make(chan struct{}), true, true
	}
	return n.pending, first
}

func (n *connectionAnnouncer) callOpen(ctx context.Context, by schemas.Caller) {
	in := schemas.ConnIn{Conn: n.conn, Parent: n.server.config.Parent}
	asking := by
	if n.server.config.Caller.Agent == "" {
		asking.Agent, in.Client = "", by.Agent
		if by.Agent != "" {
			in.Process = n.server.config.Process(by.Agent)
		}
	}
	out, refused := callAndDecode[schemas.ConnOut](ctx, n.server, asking, "connection_open", in)
	if refused != nil {
		n.logFailure(ctx, "connection_open", refused)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.pending)
	n.pending = nil
	if refused == nil {
		n.known, n.id = true, by.AgentID
		before := n.agent
		if n.agent = cmp.Or(out.Agent, before, by.Agent); before != "" && n.agent != before {
			sessionOf(ctx).greeted.Store(false) // the model knows its former name
		}
	}
}

// callClose tells the mailbox that the connection closes. After that, the connection is not announced again.
func (n *connectionAnnouncer) callClose(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	n.mu.Lock()
	n.ended = true
	pending, tried, agent := n.pending, n.tried, n.agent
	n.mu.Unlock()
	if !tried {
		return
	}
	if pending != nil {
		select {
		case <-pending:
		case <-ctx.Done():
		}
	}
	by := n.server.config.Caller
	by.Conn, by.Agent = n.conn, agent
	in := schemas.ConnIn{Conn: n.conn, Unused: !n.used.Load()}
	if _, refused := callAndDecode[schemas.ConnOut](ctx, n.server, by, "connection_close", in); refused != nil {
		n.logFailure(ctx, "connection_close", refused)
	}
}

func (n *connectionAnnouncer) logFailure(ctx context.Context, tool string, refused *schemas.Error) {
	n.server.config.Logger.ErrorContext(ctx, "connection not announced",
		slog.String("tool", tool), slog.Any("error", refused))
}
