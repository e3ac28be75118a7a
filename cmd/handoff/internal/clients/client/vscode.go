package client

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
