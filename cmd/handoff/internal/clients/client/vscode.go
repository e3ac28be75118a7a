package client

func vsCode() Client {
	return Client{
		Name: "vscode", Title: "VS Code", Aliases: []string{"code", "vs-code", "copilot"},
		Program: "code", Calls: "Visual Studio Code",
		Traces:  []Path{"${config}/Code/User"},
		Servers: Files{LooseJSON, []Path{"${config}/Code/User/mcp.json"}, []Path{".vscode/mcp.json"}},
		Under:   []string{"servers"},
		Entry: func(s Server) Object {
			if s.URL != "" {
				return Object{{"type", "http"}, {"url", s.URL}}.with("headers", s.headers("${env:"))
			}
			return Object{{"type", "stdio"}, {"command", s.Command[0]}, {"args", s.Command[1:]}}
		},
		Next: "Start it there with the command MCP: List Servers.",
	}
}
