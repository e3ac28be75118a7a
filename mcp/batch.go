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

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// receiveBatch answers the messages of a batch together, in one line.
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
	}
	work := make([]func() sdk.JSONRPCMessage, len(members))
	for i, member := range members {
		work[i] = c.beginMember(member)
	}
	c.spawn(ctx, &c.pending, func() { c.out.send(together(work)) })
}

func (c *conn) beginMember(text []byte) func() sdk.JSONRPCMessage {
	m, refused := parse(text)
	if refused != nil {
		return func() sdk.JSONRPCMessage { return *refused }
	}
	return c.begin(m)
}

// together does the work of a batch and gives its answers, or nil when nothing is to be answered.
func together(work []func() sdk.JSONRPCMessage) any {
	answers := make([]sdk.JSONRPCMessage, len(work))
	var group sync.WaitGroup
	for i, do := range work {
		if do != nil {
			group.Go(func() { answers[i] = do() })
		}
	}
	group.Wait()
	var given []sdk.JSONRPCMessage
	for _, a := range answers {
		if a != nil {
			given = append(given, a)
		}
	}
	if given == nil {
		return nil
	}
	return given
}
