package doctor_test

import (
	"testing"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// Sessions that hear of mail and have no tools for it cannot take it.
func TestHooksWithoutAServerAreAnError(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", allHooks())
	requireFinding(t, w.examine("claude-code"), doctor.Error, "Claude Code has hooks and no server", "setup claude-code --yes")
	w.write(".claude.json", `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`)
	requireNone(t, w.examine("claude-code"), "and no server")
}

func TestHooksThatClaudeCodeWasToldNotToRunAreAWarning(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", `{"disableAllHooks": true, `+allHooks()[1:])
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "runs none, as disableAllHooks says", "")
	w.write(".claude/settings.json", `{"disableAllHooks": false, `+allHooks()[1:])
	requireNone(t, w.examine("claude-code"), "disableAllHooks")
}
