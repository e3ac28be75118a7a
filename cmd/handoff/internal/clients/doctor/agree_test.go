package doctor_test

import (
	"strings"
	"testing"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// allHooks is a file with these hooks of Claude Code, and all others that setup writes.
func allHooks(but ...string) string {
	var events []string
	for _, event := range []string{
		"SessionStart session-start", "UserPromptSubmit prompt", "PostToolUse tool", "Stop stop", "SubagentStop subagent-stop",
		"SessionEnd session-end", "PreCompact compact",
	} {
		at, word, _ := strings.Cut(event, " ")
		line := "handoff hook " + word + " --client claude-code"
		for _, other := range but {
			if name, instead, _ := strings.Cut(other, " "); name == at {
				line = instead
			}
		}
		if line != "" {
			events = append(events, `"`+at+`": [{"hooks": [{"type": "command", "command": "`+line+`"}]}]`)
		}
	}
	return `{"hooks": {` + strings.Join(events, ", ") + `}}`
}

func TestExamineClient_WithServerElsewhereNeedsNoHooks(t *testing.T) {
	w := newWorld(t)
	w.write(".codex/config.toml", "[mcp_servers.handoff]\nurl = 'http://127.0.0.1:1/mcp'\n")
	requireNone(t, w.examine("codex"), "has none")
	w.write(".codex/hooks.json", hooks("UserPromptSubmit", "handoff hook prompt --client codex"))
	requireFinding(t, w.examine("codex"), doctor.Warning, "Codex runs none on ", "handoff setup codex --hooks")
	w.write(".codex/hooks.json", "{}")
	w.write(".codex/config.toml", "[mcp_servers.handoff]\ncommand = 'handoff'\nargs = ['mcp']\n")
	requireFinding(t, w.examine("codex"), doctor.Skipped, "Codex has none", "handoff setup codex --hooks")
	w.write(".codex/hooks.json", "{") // the hooks are unknown
	requireNone(t, w.examine("codex"), "has none")
}

func TestExamineClient_AddsMissingHooksNextToOthers(t *testing.T) {
	const none = "Claude Code runs none on Stop"
	handoff := func(w *world, line string) string { return w.bench.Program.ShellCommand() + " " + line }
	w := newWorld(t)
	w.inProject(".claude/settings.json", allHooks("Stop "))
	w.bench.DirFlag = " --dir ../x"
	requireRemedy(t, w.examine("claude-code"), doctor.Warning, none, handoff(w, "setup claude-code --scope project --dir ../x --hooks"))
	w.inProject(".claude/settings.json", "{}")
	w.write(".claude/settings.json", allHooks("Stop "))
	requireRemedy(t, w.examine("claude-code"), doctor.Warning, none, handoff(w, "setup claude-code --hooks"))
	w.write(".claude/settings.json", "{}")
	w.inProject(".mcp.json", `{"mcpServers": {"handoff": {"command": "handoff", "args": ["mcp"]}}}`)
	requireRemedy(t, w.examine("claude-code"), doctor.Skipped, "has none", handoff(w, "setup claude-code --scope project --dir ../x --hooks"))
}

func TestExamineClient_WarnsOfServerAndHooksNextToPlugin(t *testing.T) {
	const on = `{"enabledPlugins": {"handoff@handoff": true}}`
	server := `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`
	w := newWorld(t)
	w.write(".claude/settings.json", on)
	w.inProject(".mcp.json", server)
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "its server is there twice", "handoff setup claude-code --scope project --remove --yes")
	w.inProject(".claude/settings.json", allHooks())
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "its hooks run twice", "handoff setup claude-code --scope project --remove --yes")
}

// Hooks with another name than the server report the mail of another agent.
func TestExamineClient_WarnsOfTwoNames(t *testing.T) {
	const named = "handoff hook prompt --client claude-code --agent qa"
	for name, tt := range map[string]struct{ entry, hooks, says, remedy string }{
		"none in both":          {`"args": ["mcp"]`, allHooks(), "", ""},
		"the same":              {`"args": ["mcp", "--agent", "qa"]`, hooks("UserPromptSubmit", named), "", ""},
		"one in the server":     {`"args": ["mcp", "--agent", "zz"]`, allHooks(), "its server acts as zz, and its hooks under the name of the session", "--agent zz --yes"},
		"one in a variable":     {`"args": ["mcp"], "env": {"HANDOFF_AGENT": "zz"}`, allHooks(), "its server acts as zz", "--agent zz --yes"},
		"one in the hooks":      {`"args": ["mcp"]`, hooks("UserPromptSubmit", named), "the name of the session, and its hooks as qa", "--agent qa --yes"},
		"one that nobody knows": {`"args": ["mcp"], "env": {"HANDOFF_AGENT": "${NAME}"}`, allHooks(), "", ""},
		"two":                   {`"args": ["mcp", "--agent", "zz"]`, hooks("UserPromptSubmit", named), "as zz, and its hooks as qa", "--agent zz --yes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(".claude.json", `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", `+tt.entry+`}}}`)
			w.write(".claude/settings.json", tt.hooks)
			if tt.says == "" {
				requireNone(t, w.examine("claude-code"), "its server acts")
				return
			}
			requireFinding(t, w.examine("claude-code"), doctor.Warning, tt.says, "setup claude-code "+tt.remedy)
		})
	}
}

// Each client reads its own dialect. It ignores a file in another dialect.
func TestExamineClient_ReportsFilesInWrongDialect(t *testing.T) {
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

// Sessions that hear of mail and have no tools for it cannot take it.
func TestExamineClient_ReportsHooksWithoutServer(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", allHooks())
	requireFinding(t, w.examine("claude-code"), doctor.Error, "Claude Code has hooks and no server", "setup claude-code --yes")
	w.write(".claude.json", `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`)
	requireNone(t, w.examine("claude-code"), "and no server")
}

func TestExamineClient_ReportsDisabledHooksOfClaudeCode(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", `{"disableAllHooks": true, `+allHooks()[1:])
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "runs none, as disableAllHooks says", "")
	w.write(".claude/settings.json", `{"disableAllHooks": false, `+allHooks()[1:])
	requireNone(t, w.examine("claude-code"), "disableAllHooks")
}
