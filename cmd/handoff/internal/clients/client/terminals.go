package client

import "time"

// copilotCLI returns GitHub's client for the terminal. The client also reads hooks from the settings of Claude Code.
// Copilot in VS Code is not this client: it uses the list of servers of [vsCode].
func copilotCLI() Client {
	described := entryFunc("local", "http", "${")
	return Client{
		Name: "copilot-cli", Title: "GitHub Copilot CLI", Aliases: []string{"copilot"}, Program: "copilot", MCPName: "copilot-cli",
		Shell:   ShellVariables{Signs: []string{"COPILOT_CLI"}, Session: "COPILOT_AGENT_SESSION_ID"},
		Traces:  []Path{"${COPILOT_HOME:-~/.copilot}"},
		Servers: ConfigPaths{LooseJSON, []Path{"${COPILOT_HOME:-~/.copilot}/mcp-config.json"}, []Path{".github/mcp.json"}},
		Under:   []any{"mcpServers"},
		Hooks: &HookSettings{
			ConfigPaths: ConfigPaths{LooseJSON, []Path{"${COPILOT_HOME:-~/.copilot}/settings.json"}, nil},
			Unit:        time.Second, Flat: true, Commands: sessionHooks(hookTimeout),
		},
		Entry: func(s Server) Object { return append(described(s), Field{"tools", []string{"*"}}) },
		Next:  "Type copilot, or /mcp in a session that is open.",
		Asks:  "It asks before it uses a tool; copilot -p needs --allow-tool handoff.",
	}
}

// qwenCode returns the client Qwen Code. It is built from Gemini CLI, but its hooks have the form of Claude Code.
func qwenCode() Client {
	settings := ConfigPaths{CommentedJSON, []Path{"${QWEN_HOME:-~/.qwen}/settings.json"}, []Path{".qwen/settings.json"}}
	return Client{
		Name: "qwen-code", Title: "Qwen Code", Aliases: []string{"qwen"}, Program: "qwen", MCPName: "qwen-cli-mcp-client-" + ServerName,
		Shell:   ShellVariables{Signs: []string{"QWEN_CODE"}, Session: "QWEN_CODE_SESSION_ID"},
		Traces:  []Path{"${QWEN_HOME:-~/.qwen}"},
		Servers: settings, Under: []any{"mcpServers"}, CertVariable: nodeCertVariable,
		Hooks: &HookSettings{ConfigPaths: settings, Unit: time.Millisecond, Commands: sessionHooks(hookTimeout)},
		Entry: func(s Server) Object {
			return entryFuncWithURLKey("httpUrl", "", "", "${")(s).withField("trust", s.Trust)
		},
		Next: "Type qwen.",
		Asks: "It asks before it uses a tool; qwen -p refuses. --trust ends both.",
	}
}

// cline returns the Cline command line, which inserts no variables into headers. The Cline extensions for editors have
// other lists of servers.
func cline() Client {
	return Client{
		Name: "cline", Title: "Cline CLI", Aliases: []string{"cline-cli"}, Program: "cline", MCPName: "@cline/core",
		Traces:  []Path{"${CLINE_DATA_DIR:-~/.cline/data}"},
		Servers: ConfigPaths{JSON, []Path{"${CLINE_DATA_DIR:-~/.cline/data}/settings/cline_mcp_settings.json"}, nil},
		Under:   []any{"mcpServers"},
		Entry:   entryFunc("stdio", "streamableHttp", ""),
		Next:    "Type cline.",
	}
}
