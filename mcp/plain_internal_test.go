package mcp

import (
	"context"
	"encoding/json"
	"iter"
	"testing"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools"
)

// echoInvoker returns each call as its own result.
type echoInvoker struct{}

func (echoInvoker) Invoke(_ context.Context, c tools.Call) (json.RawMessage, error) {
	if !json.Valid(c.Args) || c.Tool == "fail_handoff" {
		return nil, schemas.Errorf(schemas.Conflict, "no: %s", c.Args)
	}
	return json.Marshal(c)
}

func (echoInvoker) Changes(context.Context, uint64) iter.Seq2[schemas.RegistryChange, error] {
	return nil
}

// A call that bypasses the SDK has the same response as with the SDK.
func FuzzCallPlainly(f *testing.F) {
	for _, params := range []string{
		`{"name":"send_handoff","arguments":{"to":"qa","task":"x"}}`, `{"arguments":null,"name":"list_handoffs"}`,
		`{"name":"no_such_tool"}`, `{"name":"fail_handoff","arguments":"{\"a\":1}"}`, `{"name":"claim_handoff","_meta":null}`,
		`{"name":"claim_handoff","_meta":{"progressToken":7,"threadId":"t","traceparent":"00-a"}}`, `{"name":"claim_handoff","_meta":[]}`,
		`{"name":"claim_handoff","_meta":{"progressToken":{}}}`, `{"name":"claim_handoff","task":{"ttl":1}}`, `{"name":"connection_open"}`,
		`{"name":"claim_handoff","_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}`, `{"name":"claim_handoff","x":1}`,
		`{"name":"claim_handoff","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`,
	} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":` + params + `}`))
		f.Add([]byte(`{"id":"7","method":"tools/call","result":null,"params":` + params + `}`))
	}
	s := New(Config{Now: time.Now, Invoker: echoInvoker{}, NewRequestID: func() string { return "r" }})
	f.Fuzz(func(t *testing.T, text []byte) {
		m, fault := jsonrpc.ParseMessage(text)
		if fault != nil {
			return
		}
		respond := func(how func(context.Context) sdk.JSONRPCMessage) string {
			session := newSession(s)
			session.greeted.Store(true)
			ctx := s.sdk.WithContext(context.WithValue(t.Context(), callStateKey{}, &callState{call: m.Call}), session)
			encoded, err := json.Marshal(m.ResponseWithID(how(ctx)))
			require.NoError(t, err)
			return string(encoded)
		}
		plain := false
		got := respond(func(ctx context.Context) (response sdk.JSONRPCMessage) {
			response, plain = s.callWithoutSDK(ctx, m)
			return response
		})
		if plain {
			require.Equal(t, respond(func(ctx context.Context) sdk.JSONRPCMessage { return s.sdk.HandleMessage(ctx, m.Call.Rest) }), got)
		}
	})
}
