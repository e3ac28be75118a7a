package client

func openCode() Client { return newOpenCodeVariant("opencode", "opencode", "OPENCODE") }

// kilo returns the client Kilo, which is built from opencode. Its program in the terminal and its extensions for
// editors share one list of servers.
func kilo() Client {
	c := newOpenCodeVariant("kilo", "Kilo Code", "KILO")
	c.Aliases, c.NewerKeys = []string{"kilo-code", "kilocode"}, nil
	return c
}

// newOpenCodeVariant returns opencode or a client built from it. Their files differ only in the name, such as kilo.json
// for opencode.json.
func newOpenCodeVariant(name, title, sign string) Client {
	file := Path(name)
	user := "${XDG_CONFIG_HOME:-~/.config}/" + file
	return Client{
		Name: name, Title: title, Program: name, MCPName: name, CertVariable: nodeCertVariable,
		Shell:  ShellVariables{Signs: []string{sign}},
		Traces: []Path{user},
		Servers: ConfigPaths{
			LooseJSON,
			[]Path{user + "/" + file + ".json", user + "/" + file + ".jsonc"},
			[]Path{file + ".json", file + ".jsonc", "." + file + "/" + file + ".json", "." + file + "/" + file + ".jsonc"},
		},
		Under: []any{"mcp"}, NewerKeys: []any{"mcp", "servers"},
		Entry: func(s Server) Object {
			if s.URL != "" {
				return Object{{"type", "remote"}, {"url", s.URL}}.withField("headers", s.headers("{env:"))
			}
			return Object{{"type", "local"}, {"command", s.Command}}
		},
		Next: "Type " + name + ".",
	}
}
