package client

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor", Program: "cursor", Calls: "cursor-vscode",
		Traces:  []Path{"~/.cursor"},
		Servers: Files{LooseJSON, []Path{"~/.cursor/mcp.json"}, []Path{".cursor/mcp.json"}},
		Under:   []any{"mcpServers"},
		Entry:   entry("", "", "${env:"),
		Next:    "Look under Settings, MCP whether it is switched on.",
		Asks:    "It asks you before it uses a tool.",
	}
}

func vsCode() Client {
	return Client{
		Name: "vscode", Title: "VS Code", Aliases: []string{"code", "vs-code", "copilot"},
		Program: "code", Calls: "Visual Studio Code",
		Traces:  []Path{"${config}/Code/User"},
		Servers: Files{LooseJSON, []Path{"${config}/Code/User/mcp.json"}, []Path{".vscode/mcp.json"}},
		Under:   []any{"servers"},
		Entry:   entry("stdio", "http", "${env:"),
		Next:    "Start it there with the command MCP: List Servers.",
		Asks:    "It asks you before it uses a tool.",
	}
}

func openCode() Client {
	const user = "${XDG_CONFIG_HOME:-~/.config}/opencode"
	return Client{
		Name: "opencode", Title: "opencode", Program: "opencode", Calls: "opencode",
		Traces: []Path{user},
		Servers: Files{
			LooseJSON,
			[]Path{user + "/opencode.json", user + "/opencode.jsonc"},
			[]Path{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
		},
		Under: []any{"mcp"}, Newer: []any{"mcp", "servers"},
		Entry: func(s Server) Object {
			if s.URL != "" {
				return Object{{"type", "remote"}, {"url", s.URL}}.with("headers", s.headers("{env:"))
			}
			return Object{{"type", "local"}, {"command", s.Command}}
		},
		Next: "Start a new session.",
	}
}
