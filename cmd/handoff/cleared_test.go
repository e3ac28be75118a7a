//go:build unix

package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// After /clear Claude Code is the same process, with the server that it had, and its shells know another session.
func TestShellOfAClearedSessionActsAsItsProcess(t *testing.T) {
	p := newHome(t)
	session := func(id string) (s *server, cleared map[string]string) {
		s = p.serveBy("claude-code", inClaude(id), "sh", "-c", `"$@"; :`, "sh", program, "mcp", "--workspace", "w")
		cleared = inClaude("after the clearing of " + id)
		cleared["CLAUDE_PID"] = strconv.Itoa(s.cmd.Process.Pid)
		return s, cleared
	}
	first, shell1 := session("s1")
	second, shell2 := session("s2")
	third, _ := session("s3")
	p.mustWith(shell2, "send", "qa", "Test it")
	require.Contains(t, p.must("show", "1"), "From: claude-code-2 → To: qa")
	p.mustWith(shell1, "send", "qa", "Test it")
	require.Contains(t, p.must("show", "2"), "From: claude-code → To: qa")

	first.leave() // it owned the store
	p.mustWith(shell2, "send", "qa", "Test it again")
	require.Contains(t, p.must("show", "3"), "From: claude-code-2 → To: qa")
	second.leave()
	p.mustWith(shell2, "send", "qa", "Whose?")
	require.Contains(t, p.must("show", "4"), "From: claude-code-3 → To: qa", "the only one that is here")
	third.leave()
}
