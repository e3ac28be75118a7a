package mcp

import (
	"context"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// receiveBatch responds to the messages of a batch together, in one line. Each takes a slot of its own.
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
		if r := c.begin(m.Message); r != nil {
			c.spawn(ctx, &group, r, func(r reply) { m.reply = r })
		}
	}
	c.pending.Go(func() {
		group.Wait()
		deliverBatch(members, func(all []sdk.JSONRPCMessage) bool { return c.out.Send(all) })
	})
}
