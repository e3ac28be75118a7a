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
	var group sync.WaitGroup
	for i := range members {
		if m := &members[i]; !m.refused {
			group.Go(func() { m.reply = x.member(s, i, m.Message) })
		}
	}
	group.Wait()
	if !deliverBatch(members, func(all []sdk.JSONRPCMessage) bool { return x.deliver(reply{message: all}, false) }) {
		x.writeHeader(http.StatusAccepted)
	}
}

// member responds to one message of a batch. Each counts as a request for the limits of callers; the first was counted
// when the batch came.
func (x *exchange) member(s *webSession, i int, m jsonrpc.Message) (given reply) {
	defer func() {
		if p := recover(); p != nil {
			_ = x.server.panicked(x.r.Context(), "batch", p)
			given = reply{message: jsonrpc.InternalError(sdk.NewRequestId(nil))}
		}
	}()
	if id, ok := m.Cancels(); ok {
		s.requests.Cancel(id)
		return reply{}
	}
	if m.ID == nil || m.IsResponse() {
		x.receiveNotification(s, m)
		return reply{}
	}
	if i > 0 {
		if _, err := x.config.Caller(x.r); err != nil {
			return x.refusedCall(m, schemas.AsError(err))
		}
	}
	return x.call(s.session, &s.requests, m)
}
