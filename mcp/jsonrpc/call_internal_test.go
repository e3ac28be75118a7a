package jsonrpc

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// One pass reads the same values as encoding/json, and a call without its arguments is the same call.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send_handoff","arguments":{"to":"qa","task":"x"}}}`,
		` { "id" : "a\u0041" , "method":"tools/call" , "params" : { "_meta":{"a":[1]} , "arguments" : null, "name":"list\u005fhandoffs"} } `,
		`{"method":"tools/call","params":{"Arguments":{},"name":"x","arguments":{"a":1}}}`,
		`{"method":"tools/call","params":{"name":5,"arguments":"{}"},"id":-1.5e3}`,
		`{"method":"tools/call","params":[1],"id":null}`, `{"id":1,"result":{}}`, `{"id":1,"error":null,"method":null}`,
		`{"id":1,"id":2,"method":"ping"}`, `{"ID":1,"method":"ping"}`, `{} {}`, `[]`, "{\"method\":\"\xff\"}", `{"method":"ping","params":{}}x`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := Message{Text: text}
		if !m.scanEnvelope() {
			return
		}
		var want Message
		require.NoError(t, json.Unmarshal(text, &want))
		want.Text, want.Call = text, m.Call
		require.Equal(t, want, m)
		type params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
			Meta      json.RawMessage `json:"_meta"`
		}
		var said, rest params
		if m.Call == nil {
			return
		}
		require.NoError(t, json.Unmarshal(m.Params, &said))
		call := params{m.Call.Name, m.Call.Arguments, m.Call.Meta}
		require.Equal(t, said, call)
		var left Message
		require.NoError(t, json.Unmarshal(m.Call.Rest, &left))
		require.NoError(t, json.Unmarshal(left.Params, &rest))
		if said.Arguments != nil {
			said.Arguments = json.RawMessage("{}")
		}
		require.Equal(t, said, rest)
		left.Params, want.Params, left.Text, left.Call = nil, nil, want.Text, want.Call
		require.Equal(t, want, left)
	})
}
