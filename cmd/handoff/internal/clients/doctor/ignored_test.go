package doctor_test

import (
	"strings"
	"testing"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// Clients read dialects of their own, and of a file in another nothing at all.
func TestFilesOfWhichTheClientReadsNothingAreErrors(t *testing.T) {
	const entry = `"mcpServers": {"handoff": {"type": "stdio", "command": "/nowhere/handoff", "args": ["mcp"]}}`
	for name, tt := range map[string]struct{ client, path, text, says string }{
		"comments among hooks":     {"claude-code", ".claude/settings.json", "// mine\n" + allHooks(), "Claude Code reads nothing of HOME/.claude/settings.json, as it has comments"},
		"a trailing comma":         {"claude-code", ".claude.json", "{" + entry + ",}", "reads nothing of HOME/.claude.json, as it has a comma after the last item"},
		"a comma in Gemini's":      {"gemini-cli", ".gemini/settings.json", "{" + entry + ",}", "Gemini CLI reads nothing of HOME/.gemini/settings.json, as it has a comma"},
		"comments in Gemini's":     {"gemini-cli", ".gemini/settings.json", "{/* mine */" + entry + "}", ""},
		"a mark in Codex's":        {"codex", ".codex/hooks.json", "\uFEFF" + hooks("Stop", "handoff hook stop"), "as it has a byte order mark"},
		"both in Cursor's":         {"cursor", ".cursor/mcp.json", "{/* mine */" + entry + ",}", ""},
		"the plugin's":             {"claude-code", ".claude/settings.json", `{"enabledPlugins": {"handoff@handoff": true},}`, "as it has a comma after the last item"},
		"nothing of ours in there": {"claude-code", ".claude/settings.json", "{} // mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			path := w.write(tt.path, tt.text)
			all := w.examine(tt.client)
			if tt.says == "" {
				requireNone(t, all, "reads nothing")
				return
			}
			requireFinding(t, all, doctor.Error, strings.ReplaceAll(tt.says, "HOME/"+tt.path, path), "")
		})
	}
}
