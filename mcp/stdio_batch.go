package mcp

import (
	"context"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// receiveBatch responds to the messages of a batch together, in one line. Each takes a slot of its own.
func (c *conn) receiveBatch(ctx context.Context, text []byte) {
	members, refused := splitBatch(c.session.ProtocolVersion(), text)
	if refused != nil {
		c.out.Send(refused)
		return
	}
	replies := make([]reply, len(members))
	var group sync.WaitGroup
	for i, member := range members {
		c.receiveMember(ctx, &group, member, &replies[i])
	}
	c.pending.Go(func() {
		group.Wait()
		all := responses(replies)
		loseUndelivered(replies, all != nil && c.out.Send(all))
	})
}

func (c *conn) receiveMember(ctx context.Context, group *sync.WaitGroup, text []byte, given *reply) {
	m, malformed := jsonrpc.Parse(text)
	if malformed != nil {
		given.message = *malformed
		return
	}
	if m.Method == string(sdk.MethodInitialize) {
		given.message = *refuseInitialize(m)
		return
	}
	if r := c.begin(m); r != nil {
		c.spawn(ctx, group, r, func(r reply) { *given = r })
	}
}
