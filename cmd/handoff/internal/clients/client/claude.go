package client

import (
	"fmt"
	"slices"
	"time"
)

// hookTimeout is the time after which a client stops waiting for a hook. Our hooks end by themselves long before that
// time.
const hookTimeout = 5 * time.Second

var (
	claudeSettings = ConfigPaths{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json"}, []Path{".claude/settings.json"}}

	// claudeLocal holds the choices of one person in one project.
	claudeLocal = Path(".claude/settings.local.json")
)

// nodeCertVariable is [Client.CertVariable] of clients that run in Node.js or Bun.
const nodeCertVariable = "NODE_EXTRA_CA_CERTS"

func claudeCode() Client {
	return Client{
		Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude"}, Program: "claude", MCPName: "claude-code",
		Shell: ShellVariables{
			Signs: []string{"CLAUDECODE"}, Session: "CLAUDE_CODE_SESSION_ID", Process: "CLAUDE_PID",
			Project: "CLAUDE_PROJECT_DIR", Attended: "CLAUDE_CODE_SESSION_ATTENDED",
		},
		Traces:  []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}", "${CLAUDE_CONFIG_DIR:-~}/.claude.json"},
		Servers: ConfigPaths{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~}/.claude.json"}, []Path{".mcp.json"}},
		Under:   []any{"mcpServers"}, Local: "projects",
		// The entry does not set alwaysLoad, because models find our tools without it: the server's instructions name
		// the tools, and Claude Code loads a tool when a model needs it.
		Entry: entryFunc("stdio", "http", "${"), Remove: removeArgs, CertVariable: nodeCertVariable,
		Allow: func(server string) *ToolPermission {
			return &ToolPermission{claudeSettings, []any{"permissions", "allow"}, "mcp__" + server}
		},
		Hooks: &HookSettings{
			ConfigPaths: claudeSettings, Unit: time.Second,
			Commands: sessionAndWakeHooks(hookTimeout, Hook{Wake: true, Timeout: day, Extra: Object{{"asyncRewake", true}}}),
		},
		Plugins: &PluginFiles{
			Syntax: JSON, User: claudeSettings.User, Project: append(claudeSettings.Project, claudeLocal),
			Key: "enabledPlugins", Remove: []string{"plugin", "uninstall"},
		},
		TrustObstacles: func(v MachineView) []TrustObstacle {
			return append(claudeServerObstacles(v), claudeHookObstacles(v)...)
		},
		Next: "Type claude, or /mcp in a session that is open.",
		Asks: "It asks, or in mode auto a model decides; claude -p refuses. --trust allows.",
	}
}

// sessionAndWakeHooks returns the hooks of [sessionHooks] and two copies of the hook wake: one runs at the start of a
// session, the other after each turn. Its command waits for mail in the background and wakes a sleeping session. End is
// the timeout of the hook SessionEnd.
func sessionAndWakeHooks(end time.Duration, wake Hook) []Hook {
	first, last := wake, wake
	first.EventName, last.EventName = "SessionStart", "Stop"
	return append(sessionHooks(end), first, last)
}

// sessionHooks returns our hooks, for clients that use the event names of Claude Code.
func sessionHooks(end time.Duration) []Hook {
	return []Hook{
		{Event: SessionStart, EventName: "SessionStart", Timeout: hookTimeout},
		{Event: Prompt, EventName: "UserPromptSubmit", Timeout: hookTimeout},
		{Event: Tool, EventName: "PostToolUse", Timeout: hookTimeout},
		{Event: Stop, EventName: "Stop", Timeout: hookTimeout},
		{Event: SubagentStop, EventName: "SubagentStop", Timeout: hookTimeout},
		{Event: SessionEnd, EventName: "SessionEnd", Timeout: end},
		{Event: Compact, EventName: "PreCompact", Timeout: hookTimeout},
	}
}

// day is the timeout of the command that waits in the background for a handoff.
const day = 24 * time.Hour

// claudeServerObstacles returns an obstacle if a person told Claude Code not to start the project's server. Claude Code
// asks the person only once.
func claudeServerObstacles(v MachineView) []TrustObstacle {
	disabled, _ := v.Read(JSON, claudeLocal, "disabledMcpjsonServers").([]any)
	if !slices.Contains(disabled, any(ServerName)) {
		return nil
	}
	return []TrustObstacle{{
		Text:    "was told not to start the server of the project",
		Command: []string{"claude", "mcp", "reset-project-choices"},
	}}
}

// claudeHookObstacles returns an obstacle if a settings file of Claude Code turns all hooks off.
func claudeHookObstacles(v MachineView) (all []TrustObstacle) {
	if len(v.Hooks) == 0 && !v.Plugin {
		return nil
	}
	for _, path := range slices.Concat(claudeSettings.User, claudeSettings.Project, []Path{claudeLocal}) {
		if v.Read(JSON, path, "disableAllHooks") == true {
			text := fmt.Sprintf("runs none, as disableAllHooks says in %s: take that out", path.ResolveOn(v.Machine))
			all = append(all, TrustObstacle{OfHooks: true, Text: text})
		}
	}
	return all
}
