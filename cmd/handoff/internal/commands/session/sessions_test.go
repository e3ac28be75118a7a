package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// claudeVariables returns the environment of a session of Claude Code, and of the shells and servers that it starts.
func claudeVariables(session string) map[string]string {
	return map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session}
}

// mustRunWith runs a command that must succeed.
func mustRunWith(p commandtest.Home, vars map[string]string, args ...string) string {
	p.T.Helper()
	code, out, errs := p.RunWith(vars, args...)
	require.Zero(p.T, code, errs)
	return out
}

func TestSessions_OfOneClientHaveTwoNames(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	first := p.StartServerFor("claude-code", claudeVariables("s1"))
	require.Contains(t, first.Hello, `\nYou are claude-code (s1) in workspace w.\nNobody else is here`)
	second := p.StartServerFor("claude-code", claudeVariables("s2"))
	require.Contains(t, second.Hello, `\nYou are claude-code-2 (s2) in workspace w.\nAlso here, by their own account: claude-code (live).`)

	require.Contains(t, second.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`), "You are claude-code-2; also here: claude-code (live).")
	require.Contains(t, first.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`), "You are claude-code; also here: claude-code-2 (live).")

	second.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "claude-code", "task": "Test it"}}`)
	first.CloseInput() // it owned the store
	require.Contains(t, second.Request("tools/call", `{"name": "claim_handoff", "arguments": {}}`), "ho_1", "nobody else is left to do it")
	third := p.StartServerFor("claude-code", claudeVariables("s3"))
	require.Contains(t, third.Hello, `\nYou are claude-code (s3) in workspace w.`)
	second.CloseInput()
	third.CloseInput()
}

func TestShell_ActsAsItsSession(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	first := p.StartServerFor("claude-code", claudeVariables("s1"))
	second := p.StartServerFor("claude-code", claudeVariables("s2"))

	mustRunWith(p, claudeVariables("s2"), "send", "qa", "Test it")
	require.Contains(t, p.Must("show", "1"), "From: claude-code-2 → To: qa")
	mustRunWith(p, claudeVariables("s1"), "send", "claude-code-2", "Test it")
	require.Contains(t, p.Must("show", "2"), "From: claude-code → To: claude-code-2")
	mustRunWith(p, map[string]string{"HANDOFF_AGENT": "claude-code"}, "send", "qa", "Test it too")

	claimed := mustRunWith(p, claudeVariables("s2"), "claim")
	require.Contains(t, claimed, "handoff complete ho_2 --agent claude-code-2 --workspace w")
	mustRunWith(p, claudeVariables("s2"), "complete", "2", "--summary", "done")

	mustRunWith(p, claudeVariables("s2"), "send", "qa", "Of another name", "--agent", "lead")
	require.Contains(t, p.Must("show", "4"), "From: lead → To: qa")
	named := claudeVariables("s2")
	named["HANDOFF_AGENT"] = "lead"
	mustRunWith(p, named, "send", "qa", "Of the environment")
	require.Contains(t, p.Must("show", "5"), "From: lead → To: qa")

	first.CloseInput()
	second.CloseInput()
	mustRunWith(p, claudeVariables("s2"), "send", "qa", "After the end of the session")
	require.Contains(t, p.Must("show", "6"), "From: claude-code-2 → To: qa")
}

// A person may use the commands all the same: commands that only read, and the others with a name.
func TestShell_OfUnknownSessionNeedsName(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	unknown := claudeVariables("a session that nobody knows")
	first := p.StartServerFor("claude-code", claudeVariables("s1"))
	mustRunWith(p, unknown, "send", "qa", "Only one is here")
	require.Contains(t, p.Must("show", "1"), "From: claude-code → To: qa")

	second := p.StartServerFor("claude-code", claudeVariables("s2"))
	for _, args := range [][]string{
		{"send", "qa", "Whose?"}, {"claim"}, {"list", "--box", "inbox"}, {"call", "send_handoff", `{"to": "qa", "task": "x"}`},
	} {
		code, out, errs := p.RunWith(unknown, args...)
		require.Equal(t, 2, code, out)
		require.Contains(t, errs, "nothing tells which session of claude-code this is")
		require.Contains(t, errs, "Known: claude-code, claude-code-2\n")
		require.Contains(t, errs, "--agent NAME")
	}
	require.Contains(t, mustRunWith(p, unknown, "list"), "Only one is here")
	require.Contains(t, mustRunWith(p, unknown, "agents"), "claude-code-2")
	mustRunWith(p, unknown, "send", "qa", "Mine", "--agent", "claude-code-2")
	require.Contains(t, p.Must("show", "2"), "From: claude-code-2 → To: qa")
	mustRunWith(p, unknown, "call", "send_handoff", `{"to": "qa", "task": "Of a subagent", "agent": "helper"}`)
	require.Contains(t, p.Must("show", "3"), "From: helper → To: qa")
	code, _, errs := p.RunWith(unknown, "call", "complete_handoff", `{"handoff_id": 3, "summary": "x", "agent": "helper"}`)
	require.NotZero(t, code)
	require.NotContains(t, errs, "sessions of claude-code", "it was said who acts")
	first.CloseInput()
	second.CloseInput()
}

// "claude mcp list" starts each server for a moment, as a new session.
func TestSessions_ListingServersUsesNoNumbers(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	first := p.StartServerFor("claude-code", claudeVariables("s1"))
	for range 10 {
		listing := p.StartServerFor("claude-code", claudeVariables("of a listing"))
		require.Contains(t, listing.Hello, `\nYou are claude-code-2 (of a listing) in workspace w.`)
		listing.Request("tools/list", `{}`)
		listing.CloseInput()
	}
	second := p.StartServerFor("claude-code", claudeVariables("s2"))
	require.Contains(t, second.Hello, `\nYou are claude-code-2 (s2) in workspace w.`)
	second.CloseInput()
	first.CloseInput()
}

// Gemini CLI that Claude Code started has the variables of both.
func TestShell_UsesVariablesOfInnerClient(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	first := p.StartServerFor("gemini-cli-mcp-client", claudeVariables("s1"))
	require.Contains(t, first.Hello, `\nYou are gemini-cli in workspace w.`)
	second := p.StartServerFor("gemini-cli-mcp-client", claudeVariables("s1"))
	require.Contains(t, second.Hello, `\nYou are gemini-cli in workspace w.`)
	first.CloseInput()
	second.CloseInput()
}
