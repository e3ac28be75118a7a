package client

import (
	"fmt"
	"slices"
	"time"
)

// patience is how long a client waits for a hook. The hook ends by itself long before.
const patience = 5 * time.Second

var (
	claudeSettings = Files{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json"}, []Path{".claude/settings.json"}}

	// claudeLocal holds what one person chose in one project.
	claudeLocal = Path(".claude/settings.local.json")
)

func claudeCode() Client {
	return Client{
		Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude"}, Program: "claude", Calls: "claude-code",
		Shell: Shell{
			Signs: []string{"CLAUDECODE"}, Run: "CLAUDE_CODE_SESSION_ID", Process: "CLAUDE_PID",
			Project: "CLAUDE_PROJECT_DIR", Attended: "CLAUDE_CODE_SESSION_ATTENDED",
		},
		Traces:  []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}", "${CLAUDE_CONFIG_DIR:-~}/.claude.json"},
		Servers: Files{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~}/.claude.json"}, []Path{".mcp.json"}},
		Under:   []any{"mcpServers"}, Local: "projects",
		// Without alwaysLoad: the instructions of the server name its tools, and Claude Code loads one when a model
		// needs it.
		Entry: entry("stdio", "http", "${"), Remove: removeInScope,
		Allow: func(server string) *Grant {
			return &Grant{claudeSettings, []any{"permissions", "allow"}, "mcp__" + server}
		},
		Hooks: &Hooks{
			Files: claudeSettings, Unit: time.Second,
			On: nineHooks(patience, Hook{Wake: true, Timeout: day, Extra: Object{{"asyncRewake", true}}}),
		},
		Plugins: &Plugins{
			Syntax: JSON, User: claudeSettings.User, Project: append(claudeSettings.Project, claudeLocal),
			Key: "enabledPlugins", Remove: []string{"plugin", "uninstall"},
		},
		Doubts: func(v View) []Doubt { return append(claudeRefuses(v), claudeRunsNoHooks(v)...) },
		Next:   "Type claude, or /mcp in a session that is open.",
		Asks:   "It asks before it uses a tool; claude -p refuses. --trust ends both.",
	}
}

// nineHooks are those of Claude Code, and of a client that took over its words: with the time that it gives the last
// one, and with what it runs where a sleeping session is to be woken.
func nineHooks(end time.Duration, wake Hook) []Hook {
	first, last := wake, wake
	first.At, last.At = "SessionStart", "Stop"
	return append(sevenHooks(end), first, last)
}

// sevenHooks are the same without waking.
func sevenHooks(end time.Duration) []Hook {
	return []Hook{
		{Event: SessionStart, At: "SessionStart", Timeout: patience},
		{Event: Prompt, At: "UserPromptSubmit", Timeout: patience},
		{Event: Tool, At: "PostToolUse", Timeout: patience},
		{Event: Stop, At: "Stop", Timeout: patience},
		{Event: SubagentStop, At: "SubagentStop", Timeout: patience},
		{Event: SessionEnd, At: "SessionEnd", Timeout: end},
		{Event: Compact, At: "PreCompact", Timeout: patience},
	}
}

// day is how long a command waits in the background for a handoff.
const day = 24 * time.Hour

// claudeRefuses looks whether somebody told Claude Code not to start the server of the project. Claude Code asks
// that once.
func claudeRefuses(v View) []Doubt {
	disabled, _ := v.Read(JSON, claudeLocal, "disabledMcpjsonServers").([]any)
	if !slices.Contains(disabled, any(ServerName)) {
		return nil
	}
	return []Doubt{{
		Text:    "was told not to start the server of the project",
		Command: []string{"claude", "mcp", "reset-project-choices"},
	}}
}

// claudeRunsNoHooks looks whether Claude Code runs no hooks at all: any of its settings files may say so.
func claudeRunsNoHooks(v View) (all []Doubt) {
	if len(v.Hooks) == 0 && !v.Plugin {
		return nil
	}
	for _, path := range slices.Concat(claudeSettings.User, claudeSettings.Project, []Path{claudeLocal}) {
		if v.Read(JSON, path, "disableAllHooks") == true {
			text := fmt.Sprintf("runs none, as disableAllHooks says in %s: take that out", path.At(v.Machine))
			all = append(all, Doubt{OfHooks: true, Text: text})
		}
	}
	return all
}
