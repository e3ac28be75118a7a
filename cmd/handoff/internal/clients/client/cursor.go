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
