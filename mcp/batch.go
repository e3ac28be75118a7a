package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// batchVersion is the one revision of the protocol in which several messages may share a line.
const batchVersion = sdk.ProtocolVersion20250326

// maxBatch is how many messages a batch may have: all of its answers are kept until the last is there.
const maxBatch = 100

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// splitBatch gives the messages of a batch, or the answer to one that is not accepted in a revision.
func splitBatch(revision string, text []byte) (members []json.RawMessage, refused *sdk.JSONRPCError) {
	m := &message{}
	switch err := json.Unmarshal(text, &members); {
	case err != nil:
		return nil, m.refuse(sdk.PARSE_ERROR, "the batch is not JSON: %v", err)
	case revision != batchVersion:
		return nil, m.refuse(sdk.INVALID_REQUEST, "batches exist only in revision %s: send one message at a time", batchVersion)
	case len(members) == 0:
		return nil, m.refuse(sdk.INVALID_REQUEST, "the batch is empty")
	case len(members) > maxBatch:
		return nil, m.refuse(sdk.INVALID_REQUEST, "the batch has %d messages, at most %d are accepted: "+
			"send one message at a time", len(members), maxBatch)
	}
	return members, nil
}

// receiveBatch answers the messages of a batch together, in one line. Each takes a slot of its own.
func (c *conn) receiveBatch(ctx context.Context, text []byte) {
	members, refused := splitBatch(c.session.ProtocolVersion(), text)
	if refused != nil {
		c.out.send(refused)
		return
	}
	replies := make([]reply, len(members))
	var group sync.WaitGroup
	for i, member := range members {
		c.receiveMember(ctx, &group, member, &replies[i])
	}
	c.pending.Go(func() {
		group.Wait()
		said := answersAmong(replies)
		loseUnsaid(replies, said != nil && c.out.send(said))
	})
}

func (c *conn) receiveMember(ctx context.Context, group *sync.WaitGroup, text []byte, given *reply) {
	m, malformed := parse(text)
	if malformed != nil {
		given.message = *malformed
		return
	}
	if m.Method == string(sdk.MethodInitialize) {
		given.message = *beginsNoBatch(m)
		return
	}
	if r := c.begin(m); r != nil {
		c.spawn(ctx, group, r, func(r reply) { *given = r })
	}
}

// beginsNoBatch refuses initialize in a batch, as revision 2025-03-26 does: it says what the others mean.
func beginsNoBatch(m message) *sdk.JSONRPCError {
	return m.refuse(sdk.INVALID_REQUEST, "initialize may not be part of a batch")
}

// answersAmong gives the answers of a batch, nil when it had only notifications.
func answersAmong(replies []reply) (said []sdk.JSONRPCMessage) {
	for _, r := range replies {
		if r.message != nil {
			said = append(said, r.message)
		}
	}
	return said
}

// loseUnsaid takes back what was done for answers that nobody got.
func loseUnsaid(replies []reply, arrived bool) {
	for _, r := range replies {
		if !arrived || r.message == nil {
			r.lose()
		}
	}
}

// postBatch answers the messages of a batch together.
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
	said := answersAmong(replies)
	loseUnsaid(replies, said != nil && x.deliver(reply{message: said}, false))
	if said == nil {
		x.answer(http.StatusAccepted)
	}
}

// member answers one message of a batch. Each counts as a request, and the first did.
func (x *exchange) member(s *webSession, i int, text []byte) (given reply) {
	defer func() {
		if p := recover(); p != nil {
			_ = x.server.panicked(x.r.Context(), "batch", p)
			given = reply{message: internalError(sdk.NewRequestId(nil))}
		}
	}()
	m, malformed := parse(text)
	if malformed != nil {
		return reply{message: *malformed}
	}
	if id, ok := m.cancels(); ok {
		s.requests.cancel(id)
		return reply{}
	}
	if m.ID == nil || m.isAnswer() {
		x.take(s, m)
		return reply{}
	}
	if m.Method == string(sdk.MethodInitialize) {
		return reply{message: *beginsNoBatch(m)}
	}
	if i > 0 {
		if _, err := x.config.Caller(x.r); err != nil {
			return x.refusedCall(m, schemas.AsError(err))
		}
	}
	return x.call(s.session, &s.requests, m)
}
