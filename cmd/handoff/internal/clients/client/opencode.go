package client

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
