package client

import (
	"time"
)

func geminiCLI() Client {
	settings := Files{CommentedJSON, []Path{"${GEMINI_CLI_HOME:-~}/.gemini/settings.json"}, []Path{".gemini/settings.json"}}
	return Client{
		Name: "gemini-cli", Title: "Gemini CLI", Aliases: []string{"gemini"}, Program: "gemini", Calls: "gemini-cli-mcp-client",
		Shell:   Shell{[]string{"GEMINI_CLI"}, "GEMINI_SESSION_ID", ""},
		Traces:  []Path{"${GEMINI_CLI_HOME:-~}/.gemini"},
		Servers: settings, Under: []string{"mcpServers"},
		Entry: geminiEntry, Own: &Own{Add: geminiAdd, Remove: geminiRemove},
		Hooks: &Hooks{Files: settings, Unit: time.Millisecond, Name: ServerName, On: []Hook{
			{Event: SessionStart, At: "SessionStart", Timeout: patience},
			{Event: Prompt, At: "BeforeAgent", Timeout: patience},
			{Event: Tool, At: "AfterTool", Timeout: patience},
			{Event: Stop, At: "AfterAgent", Timeout: patience},
			{Event: SessionEnd, At: "SessionEnd", Timeout: patience},
		}},
		Next: "Start a new session in a folder that it trusts. Without --trust or an approval mode, gemini -p is not offered the tools.",
	}
}

func geminiEntry(s Server) (o Object) {
	if s.URL != "" {
		o = Object{{"url", s.URL}, {"type", "http"}}.with("headers", s.headers("${"))
	} else {
		o = Object{{"command", s.Command[0]}, {"args", s.Command[1:]}}
	}
	return o.with("trust", s.Trust)
}

func geminiAdd(scope Scope, s Server) []string {
	add := []string{"mcp", "add", "--scope", string(scope)}
	if s.Trust {
		add = append(add, "--trust")
	}
	if s.URL == "" {
		return append(append(add, ServerName, s.Command[0], "--"), s.Command[1:]...)
	}
	add = append(add, "--transport", "http")
	for _, header := range s.headers("${") {
		add = append(add, "--header="+header.Key+": "+header.Value.(string))
	}
	return append(add, ServerName, s.URL)
}

func geminiRemove(scope Scope) []string {
	return []string{"mcp", "remove", "--scope", string(scope), ServerName}
}
