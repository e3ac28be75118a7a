package client

import (
	"time"
)

func codex() Client {
	return Client{
		Name: "codex", Title: "Codex", Aliases: []string{"codex-cli"}, Program: "codex", Calls: "codex-mcp-client",
		Shell:   Shell{[]string{"CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"}, "CODEX_THREAD_ID", ""},
		Traces:  []Path{"${CODEX_HOME:-~/.codex}"},
		Servers: Files{TOML, []Path{"${CODEX_HOME:-~/.codex}/config.toml"}, []Path{".codex/config.toml"}}, Under: []string{"mcp_servers"},
		Entry: codexEntry, Own: &Own{Add: codexAdd, Remove: codexRemove},
		Hooks: &Hooks{
			Files: Files{BareJSON, []Path{"${CODEX_HOME:-~/.codex}/hooks.json"}, []Path{".codex/hooks.json"}},
			Unit:  time.Second,
			On: []Hook{
				{Event: SessionStart, At: "SessionStart", Timeout: patience},
				{Event: Prompt, At: "UserPromptSubmit", Timeout: patience},
				{Event: Tool, At: "PostToolUse", Timeout: patience},
				{Event: Stop, At: "Stop", Timeout: patience},
				{Event: SubagentStop, At: "SubagentStop", Timeout: patience},
				{Event: SessionEnd, At: "SessionEnd", Timeout: codexEnd},
				{Event: Compact, At: "PreCompact", Timeout: patience},
				{At: "SessionStart", Wake: true, Timeout: patience}, // it goes on in the background, and wakes by codex queue
				{At: "Stop", Wake: true, Timeout: patience},
			},
		},
		Next: "Start a new session. Codex runs hooks only after they were reviewed: type /hooks in it once.",
	}
}

// codexEnd is the longest that Codex waits when a session ends.
const codexEnd = 3 * time.Second

// codexEntry names the variables by which a server finds its workspace: Codex starts it without them.
func codexEntry(s Server) (o Object) {
	if s.URL != "" {
		o = Object{{"url", s.URL}}.with("bearer_token_env_var", s.TokenEnv).
			with("http_headers", Object{}.with(agentHeader, s.Agent))
	} else {
		o = Object{{"command", s.Command[0]}, {"args", s.Command[1:]}}.with("env_vars", s.Pass)
	}
	if s.Trust {
		o = append(o, Field{"default_tools_approval_mode", "approve"})
	}
	return o
}

// codexAdd knows only the user's own list, and neither variables nor approval nor headers.
func codexAdd(scope Scope, s Server) []string {
	switch {
	case scope != User || s.Trust || len(s.Pass) > 0 || s.Agent != "":
		return nil
	case s.URL == "":
		return append([]string{"mcp", "add", ServerName, "--"}, s.Command...)
	case s.TokenEnv == "":
		return []string{"mcp", "add", ServerName, "--url", s.URL}
	}
	return []string{"mcp", "add", ServerName, "--url", s.URL, "--bearer-token-env-var", s.TokenEnv}
}

func codexRemove(scope Scope) []string {
	if scope != User {
		return nil
	}
	return []string{"mcp", "remove", ServerName}
}
