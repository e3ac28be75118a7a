package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// batchVersion is the one revision of the protocol in which several messages may share a line.
const batchVersion = sdk.ProtocolVersion20250326

// maxBatch is how many messages a batch may have: all of its answers are kept until the last is there.
const maxBatch = 100

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// receiveBatch answers the messages of a batch together, in one line. Each takes a slot of its own.
func (c *conn) receiveBatch(ctx context.Context, text []byte) {
	var members []json.RawMessage
	switch err := json.Unmarshal(text, &members); {
	case err != nil:
		c.out.send((&message{}).refuse(sdk.PARSE_ERROR, "the batch is not JSON: %v", err))
		return
	case c.session.ProtocolVersion() != batchVersion:
		c.out.send((&message{}).refuse(sdk.INVALID_REQUEST, "batches exist only in revision %s: "+
			"send one message per line", batchVersion))
		return
	case len(members) == 0:
		c.out.send((&message{}).refuse(sdk.INVALID_REQUEST, "the batch is empty"))
		return
	case len(members) > maxBatch:
		c.out.send((&message{}).refuse(sdk.INVALID_REQUEST, "the batch has %d messages, at most %d are accepted: "+
			"send one message per line", len(members), maxBatch))
		return
	}
	replies := make([]reply, len(members))
	var group sync.WaitGroup
	for i, member := range members {
		c.receiveMember(ctx, &group, member, &replies[i])
	}
	c.pending.Go(func() {
		group.Wait()
		c.deliverTogether(replies)
	})
}

func (c *conn) receiveMember(ctx context.Context, group *sync.WaitGroup, text []byte, given *reply) {
	m, malformed := parse(text)
	if malformed != nil {
		given.message = *malformed
		return
	}
	if r := c.begin(m); r != nil {
		c.spawn(ctx, group, r, func(r reply) { *given = r })
	}
}

func (c *conn) deliverTogether(replies []reply) {
	var said []sdk.JSONRPCMessage
	for _, r := range replies {
		if r.message != nil {
			said = append(said, r.message)
		}
	}
	arrived := said != nil && c.out.send(said)
	for _, r := range replies {
		if !arrived || r.message == nil {
			r.lose()
		}
	}
}
