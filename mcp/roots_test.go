package mcp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// A server without a project asks a client that has roots, once, and goes on with the answer.
func TestServer_AsksClientForItsRoots(t *testing.T) {
	list := `"name":"list_handoffs","arguments":{}`
	withRoots := strings.NewReplacer(`"capabilities":{}`, `"capabilities":{"roots":{}}`, `clientCapabilities":{}`, `clientCapabilities":{"roots":{}}`)
	for name, era := range map[string]struct{ hello, call, question, answer string }{
		"2025-11-25": {
			withRoots.Replace(initialize("amy", "2025-11-25")), callRequest(1, "list_handoffs", `{}`),
			`{"jsonrpc":"2.0","id":"handoff-roots","method":"roots/list"}`,
			`{"jsonrpc":"2.0","id":"handoff-roots","result":{"roots":[{"uri":"https://x/y"},{"uri":"file:///home/amy/my%20shop"}]}}`,
		},
		"2026-07-28": {
			withRoots.Replace(modernRequest(0, "server/discover", "")), withRoots.Replace(modernRequest(1, "tools/call", list)),
			`"inputRequests":{"handoff-roots":{"method":"roots/list"}},"resultType":"input_required"`,
			withRoots.Replace(modernRequest(1, "tools/call", list+`,"inputResponses":{"handoff-roots":{"roots":[{"uri":"file:///home/amy/my%20shop"}]}}`)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			cfg := workspace(t)
			cfg.UseRoots = func(dirs []string) bool {
				got = append(got, dirs...)
				return got != nil
			}
			cfg.Workspace = func() (name, warning string) { return schemas.Clip(strings.Join(got, ""), 64), "" }
			c := connect(t, cfg)
			c.send(era.hello)
			c.nextLine()
			c.send(era.call)
			require.Contains(t, c.nextLine(), era.question)
			c.send(era.answer)
			require.Contains(t, parse(t, c.nextLine()).text(), `"items":[]`)
			require.Equal(t, []string{"/home/amy/my shop"}, got)
			c.send(era.call)
			require.Contains(t, parse(t, c.nextLine()).text(), `"items":[]`)
		})
	}
}
