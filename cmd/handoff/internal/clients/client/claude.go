package client

import (
	"time"
)

// patience is how long clients wait for a hook. It ends by itself long before.
const patience = 5 * time.Second

func claudeCode() Client {
	settings := Files{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json"}, []Path{".claude/settings.json"}}
	return Client{
		Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude"}, Program: "claude", Calls: "claude-code",
		Shell:   Shell{[]string{"CLAUDECODE"}, "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"},
		Traces:  []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}", "${CLAUDE_CONFIG_DIR:-~}/.claude.json"},
		Servers: Files{JSON, []Path{"${CLAUDE_CONFIG_DIR:-~}/.claude.json"}, []Path{".mcp.json"}}, Under: []string{"mcpServers"},
		Entry: claudeEntry, Own: &Own{Add: claudeAdd, Remove: claudeRemove},
		Allow: func() *Grant { return &Grant{settings, []string{"permissions", "allow"}, "mcp__" + ServerName} },
		Hooks: &Hooks{Files: settings, Unit: time.Second, On: []Hook{
			{Event: SessionStart, At: "SessionStart", Timeout: patience},
			{Event: Prompt, At: "UserPromptSubmit", Timeout: patience},
			{Event: Tool, At: "PostToolUse", Timeout: patience},
			{Event: Stop, At: "Stop", Timeout: patience},
			{Event: SubagentStop, At: "SubagentStop", Timeout: patience},
			{Event: SessionEnd, At: "SessionEnd", Timeout: patience},
			{Event: Compact, At: "PreCompact", Timeout: patience},
			{At: "SessionStart", Wake: true, Timeout: day, Extra: Object{{"asyncRewake", true}}},
			{At: "Stop", Wake: true, Timeout: day, Extra: Object{{"asyncRewake", true}}},
		}},
		Next: "Sessions that are open keep what they have; start a new one, or type /mcp in it.",
	}
}

// day is how long a command waits in the background for a handoff.
const day = 24 * time.Hour

// claudeEntry leaves out alwaysLoad: the instructions of the server name its tools, which are loaded when they are
// needed.
func claudeEntry(s Server) Object {
	if s.URL != "" {
		return Object{{"type", "http"}, {"url", s.URL}}.with("headers", s.headers("${"))
	}
	return Object{{"type", "stdio"}, {"command", s.Command[0]}, {"args", s.Command[1:]}}
}

func claudeAdd(scope Scope, s Server) []string {
	add := []string{"mcp", "add", "--scope", string(scope)}
	if s.URL == "" {
		return append(append(add, ServerName, "--"), s.Command...)
	}
	add = append(add, "--transport", "http", ServerName, s.URL) // --header takes all that follows
	for _, header := range s.headers("${") {
		add = append(add, "--header", header.Key+": "+header.Value.(string))
	}
	return add
}

func claudeRemove(scope Scope) []string {
	return []string{"mcp", "remove", "--scope", string(scope), ServerName}
}
