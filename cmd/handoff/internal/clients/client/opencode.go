package client

func openCode() Client {
	return Client{
		Name: "opencode", Title: "opencode", Program: "opencode", Calls: "opencode",
		Traces: []Path{"${XDG_CONFIG_HOME:-~/.config}/opencode"},
		Servers: Files{
			LooseJSON,
			[]Path{"${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.json", "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.jsonc"},
			[]Path{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
		},
		Under: []string{"mcp"}, Newer: []string{"mcp", "servers"},
		Entry: func(s Server) Object {
			if s.URL != "" {
				return Object{{"type", "remote"}, {"url", s.URL}}.with("headers", s.headers("{env:"))
			}
			return Object{{"type", "local"}, {"command", s.Command}}
		},
		Next: "Start a new session.",
	}
}
