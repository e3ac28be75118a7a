package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// inClaude is the environment of a session of Claude Code, and of the shells and servers that it starts.
func inClaude(session string) map[string]string {
	return map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session}
}

// mustWith runs a command that has to succeed.
func (p home) mustWith(vars map[string]string, args ...string) string {
	p.t.Helper()
	code, out, errs := p.runWith(vars, args...)
	require.Zero(p.t, code, errs)
	return out
}

func TestTwoSessionsOfAClientHaveTwoNames(t *testing.T) {
	p := newHome(t)
	first := p.serveFor("claude-code", inClaude("s1"))
	require.Contains(t, first.hello, `\nYou are claude-code (s1) in workspace w.\nNobody else is here`)
	second := p.serveFor("claude-code", inClaude("s2"))
	require.Contains(t, second.hello, `\nYou are claude-code-2 (s2) in workspace w.\nAlso here, by their own account: claude-code (live).`)

	require.Contains(t, second.ask("tools/call", `{"name": "list_handoffs", "arguments": {}}`), "You are claude-code-2; also here: claude-code (live).")
	require.Contains(t, first.ask("tools/call", `{"name": "list_handoffs", "arguments": {}}`), "You are claude-code; also here: claude-code-2 (live).")

	second.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "claude-code", "task": "Test it"}}`)
	first.leave() // it owned the store
	require.Contains(t, second.ask("tools/call", `{"name": "claim_handoff", "arguments": {}}`), "ho_1", "nobody else is left to do it")
	third := p.serveFor("claude-code", inClaude("s3"))
	require.Contains(t, third.hello, `\nYou are claude-code (s3) in workspace w.`)
	second.leave()
	third.leave()
}

func TestAShellActsAsTheSessionThatStartedIt(t *testing.T) {
	p := newHome(t)
	first := p.serveFor("claude-code", inClaude("s1"))
	second := p.serveFor("claude-code", inClaude("s2"))

	p.mustWith(inClaude("s2"), "send", "qa", "Test it")
	require.Contains(t, p.must("show", "1"), "From: claude-code-2 → To: qa")
	p.mustWith(inClaude("s1"), "send", "claude-code-2", "Test it")
	require.Contains(t, p.must("show", "2"), "From: claude-code → To: claude-code-2")
	p.mustWith(map[string]string{"HANDOFF_AGENT": "claude-code"}, "send", "qa", "Test it too")

	claimed := p.mustWith(inClaude("s2"), "claim")
	require.Contains(t, claimed, "handoff complete ho_2 --agent claude-code-2 --workspace w")
	p.mustWith(inClaude("s2"), "complete", "2", "--summary", "done")

	p.mustWith(inClaude("s2"), "send", "qa", "Of another name", "--agent", "lead")
	require.Contains(t, p.must("show", "4"), "From: lead → To: qa")
	named := inClaude("s2")
	named["HANDOFF_AGENT"] = "lead"
	p.mustWith(named, "send", "qa", "Of the environment")
	require.Contains(t, p.must("show", "5"), "From: lead → To: qa")

	first.leave()
	second.leave()
	p.mustWith(inClaude("s2"), "send", "qa", "After the end of the session")
	require.Contains(t, p.must("show", "6"), "From: claude-code-2 → To: qa")
}

// A person may use the commands all the same: those that only read, and the others with a name.
func TestShellOfAnUnknownSessionHasToSayWhoItIs(t *testing.T) {
	p := newHome(t)
	unknown := inClaude("a session that nobody knows")
	first := p.serveFor("claude-code", inClaude("s1"))
	p.mustWith(unknown, "send", "qa", "Only one is here")
	require.Contains(t, p.must("show", "1"), "From: claude-code → To: qa")

	second := p.serveFor("claude-code", inClaude("s2"))
	for _, args := range [][]string{
		{"send", "qa", "Whose?"}, {"claim"}, {"list", "--box", "inbox"}, {"call", "send_handoff", `{"to": "qa", "task": "x"}`},
	} {
		code, out, errs := p.runWith(unknown, args...)
		require.Equal(t, 2, code, out)
		require.Contains(t, errs, "nothing tells which session of claude-code this is")
		require.Contains(t, errs, "Known: claude-code, claude-code-2\n")
		require.Contains(t, errs, "--agent NAME")
	}
	require.Contains(t, p.mustWith(unknown, "list"), "Only one is here")
	require.Contains(t, p.mustWith(unknown, "agents"), "claude-code-2")
	p.mustWith(unknown, "send", "qa", "Mine", "--agent", "claude-code-2")
	require.Contains(t, p.must("show", "2"), "From: claude-code-2 → To: qa")
	p.mustWith(unknown, "call", "send_handoff", `{"to": "qa", "task": "Of a subagent", "agent": "helper"}`)
	require.Contains(t, p.must("show", "3"), "From: helper → To: qa")
	code, _, errs := p.runWith(unknown, "call", "complete_handoff", `{"handoff_id": 3, "summary": "x", "agent": "helper"}`)
	require.NotZero(t, code)
	require.NotContains(t, errs, "sessions of claude-code", "it was said who acts")
	first.leave()
	second.leave()
}

// "claude mcp list" starts each server for a moment, as a new session.
func TestListingServersUsesUpNoNumbers(t *testing.T) {
	p := newHome(t)
	first := p.serveFor("claude-code", inClaude("s1"))
	for range 10 {
		listing := p.serveFor("claude-code", inClaude("of a listing"))
		require.Contains(t, listing.hello, `\nYou are claude-code-2 (of a listing) in workspace w.`)
		listing.ask("tools/list", `{}`)
		listing.leave()
	}
	second := p.serveFor("claude-code", inClaude("s2"))
	require.Contains(t, second.hello, `\nYou are claude-code-2 (s2) in workspace w.`)
	second.leave()
	first.leave()
}

// Gemini CLI that Claude Code started has the variables of both.
func TestASessionIsThatOfTheClientThatAsks(t *testing.T) {
	p := newHome(t)
	first := p.serveFor("gemini-cli-mcp-client", inClaude("s1"))
	require.Contains(t, first.hello, `\nYou are gemini-cli in workspace w.`)
	second := p.serveFor("gemini-cli-mcp-client", inClaude("s1"))
	require.Contains(t, second.hello, `\nYou are gemini-cli-2 in workspace w.`)
	first.leave()
	second.leave()
}
