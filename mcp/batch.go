package mcp

import (
	"bytes"
	"encoding/json"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// batchVersion is the one revision of the protocol in which several messages may share a line.
const batchVersion = sdk.ProtocolVersion20250326

// maxBatch is how many messages a batch may have: all of its answers are kept until the last is there.
const maxBatch = 100

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// splitBatch gives the messages of a batch, or the answer to one that is not accepted in a revision.
func splitBatch(revision string, text []byte) (members []json.RawMessage, refused *sdk.JSONRPCError) {
	m := &jsonrpc.Message{}
	switch err := json.Unmarshal(text, &members); {
	case err != nil:
		return nil, m.Refuse(sdk.PARSE_ERROR, "the batch is not JSON: %v", err)
	case revision != batchVersion:
		return nil, m.Refuse(sdk.INVALID_REQUEST, "batches exist only in revision %s: send one message at a time", batchVersion)
	case len(members) == 0:
		return nil, m.Refuse(sdk.INVALID_REQUEST, "the batch is empty")
	case len(members) > maxBatch:
		return nil, m.Refuse(sdk.INVALID_REQUEST, "the batch has %d messages, at most %d are accepted: "+
			"send one message at a time", len(members), maxBatch)
	}
	return members, nil
}

// beginsNoBatch refuses initialize in a batch, as revision 2025-03-26 does: it says what the others mean.
func beginsNoBatch(m jsonrpc.Message) *sdk.JSONRPCError {
	return m.Refuse(sdk.INVALID_REQUEST, "initialize may not be part of a batch")
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
