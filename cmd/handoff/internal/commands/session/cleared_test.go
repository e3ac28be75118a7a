//go:build unix

package session_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// After /clear Claude Code is the same process with the same server, and its shells have another session id.
func TestShell_OfClearedSessionActsAsItsProcess(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	session := func(id string) (s *commandtest.Server, cleared map[string]string) {
		s = p.StartServerCommand("claude-code", claudeVariables(id), "sh", "-c", `"$@"; :`, "sh", commandtest.Program, "mcp", "--workspace", "w")
		cleared = claudeVariables("after the clearing of " + id)
		cleared["CLAUDE_PID"] = strconv.Itoa(s.Cmd.Process.Pid)
		return s, cleared
	}
	first, shell1 := session("s1")
	second, shell2 := session("s2")
	third, _ := session("s3")
	mustRunWith(p, shell2, "send", "qa", "Test it")
	require.Contains(t, p.Must("show", "1"), "From: claude-code-2 → To: qa")
	mustRunWith(p, shell1, "send", "qa", "Test it")
	require.Contains(t, p.Must("show", "2"), "From: claude-code → To: qa")

	first.CloseInput() // it owned the store
	mustRunWith(p, shell2, "send", "qa", "Test it again")
	require.Contains(t, p.Must("show", "3"), "From: claude-code-2 → To: qa")
	second.CloseInput()
	mustRunWith(p, shell2, "send", "qa", "Whose?")
	require.Contains(t, p.Must("show", "4"), "From: claude-code → To: qa", "the third is the session of another process")
	third.CloseInput()
}
