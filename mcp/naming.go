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

// opening bounds how long a request waits until the mailbox knows its connection.
const opening = 10 * time.Second

// naming tells the mailbox of a connection and learns under which name it acts: the configured one, else that
// of the client, which the mailbox numbers while another connection has it.
type naming struct {
	server *Server
	conn   string      // empty for a connection of which the mailbox does not hear
	used   atomic.Bool // something was asked for over it

	mu    sync.Mutex    // guards the fields below
	tried bool          // the mailbox may know of it, whatever it answered
	known bool          // the mailbox has answered
	agent schemas.Agent // under which it acts, as the mailbox said
	id    string        // of the session, as the mailbox knows it
	asked chan struct{} // closed when the answer is there; nil while nobody asks
	ended bool
}

// begin announces a connection whose name is configured. Any other is known when it says its name.
func (n *naming) begin(ctx context.Context) {
	if by := n.server.config.Caller; by.Agent != "" {
		n.announce(ctx, by, opening)
	}
}

// announce makes sure that the mailbox knows the connection, and gives the caller as it is known there.
// Requests that come together share one question, which ends with the ctx of the first. When it is not
// answered, each goes on under the name that it came with, and the next asks again.
func (n *naming) announce(ctx context.Context, by schemas.Caller, limit time.Duration) schemas.Caller {
	by.Conn, by.AgentID = n.conn, cmp.Or(by.AgentID, n.conn)
	if n.conn == "" {
		return by
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch asked, first := n.join(by); {
	case first:
		n.ask(ctx, by)
	case asked != nil:
		select {
		case <-asked:
		case <-ctx.Done():
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	by.Agent = cmp.Or(n.agent, by.Agent)
	return by
}

// sure tells whether the mailbox knows the connection under this name, or need not know it.
func (n *naming) sure(agent schemas.Agent) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.conn == "" || n.agent == agent
}

// join gives the question that is under way, nil if there is nothing to ask, and tells who asks it first.
func (n *naming) join(by schemas.Caller) (asked chan struct{}, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	nameless := n.agent == "" && by.Agent != ""
	learned := n.id == n.conn && by.AgentID != n.conn // its shells go by that id
	if n.ended || n.known && !nameless && !learned {
		return nil, false
	}
	if n.asked == nil {
		n.asked, n.tried, first = make(chan struct{}), true, true
	}
	return n.asked, first
}

func (n *naming) ask(ctx context.Context, by schemas.Caller) {
	args := arguments{"conn": n.conn}
	if parent := n.server.config.Parent; parent > 0 {
		args["parent"] = parent
	}
	asking := by
	if n.server.config.Caller.Agent == "" {
		if asking.Agent = ""; by.Agent != "" {
			args["client"] = by.Agent
			if process := n.server.config.Process(by.Agent); process != "" {
				args["process"] = process
			}
		}
	}
	out, refused := ask[schemas.ConnOut](ctx, n.server, asking, "connection_open", args)
	if refused != nil {
		n.unheard(ctx, "connection_open", refused)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.asked)
	n.asked = nil
	if refused == nil {
		n.known, n.id = true, by.AgentID
		n.agent = cmp.Or(n.agent, out.Agent, by.Agent)
	}
}

// end tells the mailbox that the connection closes. From then on nothing more is asked.
func (n *naming) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	n.mu.Lock()
	n.ended = true
	asked, tried, agent := n.asked, n.tried, n.agent
	n.mu.Unlock()
	if !tried {
		return
	}
	if asked != nil {
		select {
		case <-asked:
		case <-ctx.Done():
		}
	}
	by := n.server.config.Caller
	by.Conn, by.Agent = n.conn, agent
	args := arguments{"conn": n.conn}
	if !n.used.Load() {
		args["unused"] = true
	}
	if _, refused := ask[schemas.ConnOut](ctx, n.server, by, "connection_close", args); refused != nil {
		n.unheard(ctx, "connection_close", refused)
	}
}

func (n *naming) unheard(ctx context.Context, tool string, refused *schemas.Error) {
	n.server.config.Logger.LogAttrs(ctx, slog.LevelError, "connection not announced",
		slog.String("tool", tool), slog.Any("error", refused))
}
