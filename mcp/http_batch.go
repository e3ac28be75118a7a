package mcp

import (
	"net/http"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// postBatch responds to the messages of a batch together.
func (x *exchange) postBatch(text []byte) {
	if named := x.r.Header.Get(sdk.HeaderProtocolVersion); sdk.IsModernProtocol(named) {
		_, refused := splitBatch(named, text)
		x.write(http.StatusBadRequest, *refused)
		return
	}
	s, done := x.session()
	if s == nil {
		return
	}
	defer done()
	x.by.AgentID = s.instance
	members, refused := splitBatch(s.ProtocolVersion(), text)
	if refused != nil {
		x.write(http.StatusBadRequest, *refused)
		return
	}
	replies := make([]reply, len(members))
	var group sync.WaitGroup
	for i, member := range members {
		group.Go(func() { replies[i] = x.member(s, i, member) })
	}
	group.Wait()
	all := responses(replies)
	loseUndelivered(replies, all != nil && x.deliver(reply{message: all}, false))
	if all == nil {
		x.writeHeader(http.StatusAccepted)
	}
}

// member responds to one message of a batch. Each counts as a request for the limits of callers; the first was counted
// when the batch came.
func (x *exchange) member(s *webSession, i int, text []byte) (given reply) {
	defer func() {
		if p := recover(); p != nil {
			_ = x.server.panicked(x.r.Context(), "batch", p)
			given = reply{message: jsonrpc.InternalError(sdk.NewRequestId(nil))}
		}
	}()
	m, malformed := jsonrpc.Parse(text)
	if malformed != nil {
		return reply{message: *malformed}
	}
	if id, ok := m.Cancels(); ok {
		s.requests.Cancel(id)
		return reply{}
	}
	if m.ID == nil || m.IsResponse() {
		x.receiveNotification(s, m)
		return reply{}
	}
	if m.Method == string(sdk.MethodInitialize) {
		return reply{message: *refuseInitialize(m)}
	}
	if i > 0 {
		if _, err := x.config.Caller(x.r); err != nil {
			return x.refusedCall(m, schemas.AsError(err))
		}
	}
	return x.call(s.session, &s.requests, m)
}
