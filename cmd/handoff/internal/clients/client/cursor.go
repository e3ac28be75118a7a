package client

func cursor() Client {
	return Client{
		Name: "cursor", Title: "Cursor", Program: "cursor", Calls: "cursor-vscode",
		Traces:  []Path{"~/.cursor"},
		Servers: Files{LooseJSON, []Path{"~/.cursor/mcp.json"}, []Path{".cursor/mcp.json"}},
		Under:   []string{"mcpServers"},
		Entry: func(s Server) Object {
			if s.URL != "" {
				return Object{{"url", s.URL}}.with("headers", s.headers("${env:"))
			}
			return Object{{"command", s.Command[0]}, {"args", s.Command[1:]}}
		},
		Next: "Look under Settings, MCP whether it is switched on.",
	}
}
