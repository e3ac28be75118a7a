package mcp

import (
	"bytes"
	"encoding/json"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// batchVersion is the one revision of the protocol that has batches.
const batchVersion = sdk.ProtocolVersion20250326

// maxBatch is how many messages a batch may have. All of its responses are kept in memory until the last is there.
const maxBatch = 100

func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) }

// splitBatch returns the messages of a batch, or the error for a batch that is not accepted.
func splitBatch(revision string, text []byte) (members []json.RawMessage, refused *sdk.JSONRPCError) {
	m := &jsonrpc.Message{}
	switch err := json.Unmarshal(text, &members); {
	case err != nil:
		return nil, m.Refuse(sdk.PARSE_ERROR, "the batch is not JSON: %v", err)
	case revision != batchVersion:
		const said = "batches exist only in revision %s: send one message at a time"
		return nil, m.Refuse(sdk.INVALID_REQUEST, said, batchVersion)
	case len(members) == 0:
		return nil, m.Refuse(sdk.INVALID_REQUEST, "the batch is empty")
	case len(members) > maxBatch:
		return nil, m.Refuse(sdk.INVALID_REQUEST, "the batch has %d messages, at most %d are accepted: "+
			"send one message at a time", len(members), maxBatch)
	}
	return members, nil
}

// refuseInitialize returns the error for initialize in a batch, which revision 2025-03-26 forbids: it decides what the
// other messages mean.
func refuseInitialize(m jsonrpc.Message) *sdk.JSONRPCError {
	return m.Refuse(sdk.INVALID_REQUEST, "initialize may not be part of a batch")
}

// responses returns the responses to a batch, nil when it had only notifications.
func responses(replies []reply) (all []sdk.JSONRPCMessage) {
	for _, r := range replies {
		if r.message != nil {
			all = append(all, r.message)
		}
	}
	return all
}

// loseUndelivered undoes what was done for the responses that did not arrive.
func loseUndelivered(replies []reply, arrived bool) {
	for _, r := range replies {
		if !arrived || r.message == nil {
			r.lose()
		}
	}
}
