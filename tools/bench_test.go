package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools"
)

func BenchmarkCanonical(b *testing.B) {
	send, err := tools.FindTool("send_handoff")
	require.NoError(b, err)
	args := json.RawMessage(`{"to":"qa","task":"run it","tags":"[\"a\",\"b\"]","priority":"HIGH",` +
		`"options":{"max_attempts":"3"},"context":{"files":[{"path":"a.go"}]},"expectations":{"success_criteria":["green"]}}`)
	b.ReportAllocs()
	for b.Loop() {
		_, err := send.CanonicalArgs(args)
		require.NoError(b, err)
	}
}
