package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// batchVersion is the one revision of the protocol that has batches.
const batchVersion = sdk.ProtocolVersion20250326

// maxBatch is the largest number of messages in a batch. The server keeps all responses of a batch in memory until the
// last one is ready.
const maxBatch = 100

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// batchMember is one message of a batch and its response. The response is empty for a notification.
type batchMember struct {
	jsonrpc.Message
	reply
	refused bool // the reply is already set
}

// splitBatch returns the messages of a batch, or an error if the server does not accept the batch. Revision 2025-03-26
// forbids initialize in a batch.
func splitBatch(revision string, text []byte) (members []batchMember, refused *sdk.JSONRPCError) {
	var texts []json.RawMessage
	m := &jsonrpc.Message{}
	switch err := json.Unmarshal(text, &texts); {
	case err != nil:
		return nil, m.ErrorResponse(sdk.PARSE_ERROR, "the batch is not JSON: %v", err)
	case revision != batchVersion:
		const text = "batches exist only in revision %s: send one message at a time"
		return nil, m.ErrorResponse(sdk.INVALID_REQUEST, text, batchVersion)
	case len(texts) == 0:
		return nil, m.ErrorResponse(sdk.INVALID_REQUEST, "the batch is empty")
	case len(texts) > maxBatch:
		return nil, m.ErrorResponse(sdk.INVALID_REQUEST, "the batch has %d messages, at most %d are accepted: "+
			"send one message at a time", len(texts), maxBatch)
	}
	for _, one := range texts {
		m, malformed := jsonrpc.ParseMessage(one)
		if malformed == nil && m.Method == string(sdk.MethodInitialize) {
			malformed = m.ErrorResponse(sdk.INVALID_REQUEST, "initialize may not be part of a batch")
		}
		next := batchMember{Message: m, refused: malformed != nil}
		if next.refused {
			next.message = *malformed
		}
		members = append(members, next)
	}
	return members, nil
}

// deliverBatch sends the responses to a batch together. If they do not arrive, it undoes the effects of the requests,
// because the client does not know these effects. It returns false if the batch had only notifications, which have no
// response.
func deliverBatch(members []batchMember, send func([]sdk.JSONRPCMessage) bool) bool {
	var all []sdk.JSONRPCMessage
	for _, m := range members {
		if m.message != nil {
			all = append(all, m.message)
		}
	}
	arrived := all != nil && send(all)
	for _, m := range members {
		if !arrived || m.message == nil {
			m.undoEffects()
		}
	}
	return all != nil
}

// receiveBatch responds to the messages of a batch together, in one line. Each message counts as one of the
// [maxInFlight] requests of the connection.
func (c *conn) receiveBatch(ctx context.Context, text []byte) {
	members, refused := splitBatch(c.session.ProtocolVersion(), text)
	if refused != nil {
		c.out.Send(refused)
		return
	}
	var group sync.WaitGroup
	for i := range members {
		m := &members[i]
		if m.refused {
			continue
		}
		if r := c.trackRequest(m.Message); r != nil {
			c.respondInGroup(ctx, &group, r, func(r reply) { m.reply = r })
		}
	}
	c.pending.Go(func() {
		group.Wait()
		deliverBatch(members, func(all []sdk.JSONRPCMessage) bool { return c.out.Send(all) })
	})
}

// postBatch responds to the messages of a batch together.
func (x *exchange) postBatch(text []byte) {
	if named := x.r.Header.Get(sdk.HeaderProtocolVersion); sdk.IsModernProtocol(named) {
		_, refused := splitBatch(named, text)
		x.writeMessage(http.StatusBadRequest, *refused)
		return
	}
	s, done := x.useSession()
	if s == nil {
		return
	}
	defer done()
	members, refused := splitBatch(s.ProtocolVersion(), text)
	if refused != nil {
		x.writeMessage(http.StatusBadRequest, *refused)
		return
	}
	var group sync.WaitGroup
	for i := range members {
		if m := &members[i]; !m.refused {
			group.Go(func() { m.reply = x.respondToMember(s, i, m.Message) })
		}
	}
	group.Wait()
	if !deliverBatch(members, func(all []sdk.JSONRPCMessage) bool { return x.deliverReply(reply{message: all}, false) }) {
		x.writeHeader(http.StatusAccepted)
	}
}

// respondToMember responds to one message of a batch. Each message counts as one request for the rate limit; the
// arrival of the batch counted the first message already.
func (x *exchange) respondToMember(s *mcpSession, i int, m jsonrpc.Message) (given reply) {
	defer func() {
		if p := recover(); p != nil {
			_ = x.server.logPanic(x.r.Context(), "batch", p)
			given = reply{message: jsonrpc.InternalError(sdk.NewRequestId(nil))}
		}
	}()
	if x.handleUnlessRequest(s, m) {
		return reply{}
	}
	if i > 0 {
		if _, err := x.config.Caller(x.r); err != nil {
			return x.refusedCallReply(m, schemas.AsError(err))
		}
	}
	return x.respondToRequest(s.session, &s.requests, m)
}
