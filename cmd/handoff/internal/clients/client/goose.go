package client

import "runtime"

// goose reads a variable in a header only if env_keys names it. Its hooks come with plugins, in directories of their
// own.
func goose() Client {
	dir := Path("${settings}/goose")
	if runtime.GOOS == "windows" {
		dir = "${settings}/Block/goose/config"
	}
	return Client{
		Name: "goose", Title: "Goose", Program: "goose", Calls: "goose-cli",
		Shell:   Shell{Signs: []string{"GOOSE_TERMINAL"}, Run: "AGENT_SESSION_ID"},
		Traces:  []Path{dir},
		Servers: Files{YAML, []Path{dir + "/config.yaml"}, nil},
		Under:   []any{"extensions"},
		Entry: func(s Server) Object {
			o := Object{{"enabled", true}, {"type", "stdio"}, {"name", ServerName}}
			if s.URL == "" {
				return append(o, Field{"cmd", s.Command[0]}, Field{"args", s.Command[1:]}, Field{"timeout", 300})
			}
			o[1].Value = "streamable_http"
			o = append(o, Field{"uri", s.URL}).with("headers", s.headers("${"))
			if s.TokenEnv != "" {
				o = append(o, Field{"env_keys", []string{s.TokenEnv}})
			}
			return append(o, Field{"timeout", 300})
		},
		Next: "Type goose session, or open a new session of its app.",
		Asks: "It asks before it uses a tool in the modes approve and smart_approve.",
	}
}
