package mcp

import (
	"context"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// reply is the response to a request.
type reply struct {
	message sdk.JSONRPCMessage // nil when none may be sent
	undo    func()             // undoes what only the response tells; nil when there is nothing to undo
}

// lose is called for a reply that does not arrive.
func (r reply) lose() {
	if r.undo != nil {
		r.undo()
	}
}

// respond does what a request asks. The protocol forbids a response to a request that was cancelled.
func (s *Server) respond(q *jsonrpc.Requests, r *jsonrpc.Request) reply {
	var taken claim
	response := s.handle(context.WithValue(r.Context, claimKey{}, &taken), r.Text)
	if q.Untrack(r) {
		return reply{undo: taken.giveBack}
	}
	return reply{message: r.WithID(response), undo: taken.giveBack}
}

// decline responds to a request that is not looked at any more.
func decline(q *jsonrpc.Requests, r *jsonrpc.Request) reply {
	if q.Untrack(r) {
		return reply{}
	}
	e := ending()
	refused := r.Refuse(sdk.INTERNAL_ERROR, "%s", e.Message)
	refused.Error.Data = e
	return reply{message: *refused}
}
