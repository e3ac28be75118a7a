package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkHook measures a hook as its client waits for it: a process from its start to its end, with a server that
// owns the store and nothing new to tell, beside a process of the same program that only prints its version, and
// one that does nothing.
func BenchmarkHook(b *testing.B) {
	ours, state := built(b, "handoff/cmd/handoff"), b.TempDir()
	owner := start(b, state, ours, "mcp", "--workspace", "bench", "--agent", "codex")
	owner.hello(b)
	_, err := owner.ask("tools/call", `{"name":"send_handoff","arguments":{"to":"codex","task":"Test it"}}`)
	require.NoError(b, err)
	once := func(stdin string, command ...string) time.Duration {
		cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		cmd.Stdin = strings.NewReader(stdin)
		began := time.Now()
		require.NoError(b, cmd.Run())
		return time.Since(began)
	}
	hook := func() time.Duration {
		return once(`{"session_id":"s1"}`, ours, "hook", "tool", "--client", "codex", "--workspace", "bench")
	}
	hook() // the mention
	var mine, version, nothing []time.Duration
	for b.Loop() {
		mine = append(mine, hook())
		version = append(version, once("", ours, "version"))
		nothing = append(nothing, once("", "true"))
	}
	owner.end(b)
	b.ReportMetric(float64(middle(mine).Microseconds())/1000, "ms")
	b.ReportMetric(float64(middle(version).Microseconds())/1000, "version-ms")
	b.ReportMetric(float64(middle(nothing).Microseconds())/1000, "true-ms")
	b.ReportMetric(float64(middle(mine))/float64(middle(version)), "x-version")
}
