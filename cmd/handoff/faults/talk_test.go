//go:build linux

package faults_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// talk makes calls of several kinds, each after the answer to the one before.
func talk(t *testing.T, in io.Writer, out io.Reader) {
	t.Helper()
	answers := bufio.NewReaderSize(out, 1<<20)
	ask := func(id int, method, params string) {
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		require.NoError(t, err)
		said, err := answers.ReadString('\n')
		require.NoError(t, err)
		require.NotContains(t, said, `"isError":true`)
	}
	ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	for i, call := range []string{
		`{"name":"send_handoff","arguments":{"to":"dev","task":"A","detail":"` + strings.Repeat("y", 9000) + `"}}`,
		`{"name":"claim_handoff","arguments":{}}`,
		`{"name":"update_handoff","arguments":{"handoff_id":"ho_3","action":"progress","note":"half"}}`,
		`{"name":"update_handoff","arguments":{"handoff_id":"ho_3","action":"ask","question":"Which?"}}`,
		`{"name":"fail_handoff","arguments":{"handoff_id":"ho_3","reason":"no data"}}`,
		`{"name":"send_handoff","arguments":{"to":"dev","task":"B"}}`,
		`{"name":"claim_handoff","arguments":{}}`,
		`{"name":"complete_handoff","arguments":{"handoff_id":"ho_4","summary":"passed"}}`,
	} {
		ask(i+2, "tools/call", call)
	}
}
