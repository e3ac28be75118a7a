package client

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor", Program: "cursor", MCPName: "cursor-vscode",
		Traces:  []Path{"~/.cursor"},
		Servers: ConfigPaths{LooseJSON, []Path{"~/.cursor/mcp.json"}, []Path{".cursor/mcp.json"}},
		Under:   []any{"mcpServers"},
		Entry:   entryFunc("", "", "${env:"),
		Next:    "Look under Settings, MCP whether it is switched on.",
		Asks:    asksBeforeTools,
	}
}

func vsCode() Client {
	return Client{
		Name: "vscode", Title: "VS Code", Aliases: []string{"code", "vs-code"},
		Program: "code", MCPName: "Visual Studio Code",
		Traces:  []Path{"${config}/Code/User"},
		Servers: ConfigPaths{LooseJSON, []Path{"${config}/Code/User/mcp.json"}, []Path{".vscode/mcp.json"}},
		Under:   []any{"servers"},
		Entry:   entryFunc("stdio", "http", "${env:"),
		Next:    "Run the command MCP: List Servers, and start it.",
		Asks:    asksBeforeTools,
	}
}

func windsurf() Client {
	return Client{
		Name: "windsurf", Title: "Windsurf", Program: "windsurf", MCPName: "windsurf-client",
		Traces:  []Path{"~/.codeium/windsurf"},
		Servers: ConfigPaths{JSON, []Path{"~/.codeium/windsurf/mcp_config.json"}, nil},
		Under:   []any{"mcpServers"},
		Entry:   entryFuncWithURLKey("serverUrl", "", "", "${env:"),
		Next:    "Open the MCP servers of Cascade, and refresh them.",
		Asks:    asksBeforeTools,
	}
}

// zed takes no variables in headers.
func zed() Client {
	return Client{
		Name: "zed", Title: "Zed", Program: "zed", MCPName: "Zed",
		Traces:  []Path{"${settings}/zed"},
		Servers: ConfigPaths{LooseJSON, []Path{"${settings}/zed/settings.json"}, []Path{".zed/settings.json"}},
		Under:   []any{"context_servers"},
		Entry:   entryFunc("", "", ""),
		Next:    "Look in the settings of the Agent Panel for its green dot.",
		Asks:    asksBeforeTools,
	}
}

// antigravity returns the client Antigravity. Its editor and its command line share one list of servers. Its first
// versions had the list in another file.
func antigravity() Client {
	return Client{
		Name: "antigravity", Title: "Antigravity", Aliases: []string{"agy"}, Program: "agy", MCPName: "antigravity-client",
		Traces:  []Path{"~/.gemini/config", "~/.gemini/antigravity"},
		Servers: ConfigPaths{JSON, []Path{"~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"}, nil},
		Under:   []any{"mcpServers"},
		Entry:   entryFuncWithURLKey("serverUrl", "", "", ""),
		Next:    "Open Manage MCP Servers and refresh, or type agy and /mcp.",
		Asks:    asksBeforeTools,
	}
}
