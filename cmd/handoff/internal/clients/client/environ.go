package client

import (
	"os"
	"slices"
	"strings"
)

// ours are the variables that say where handoff finds something, and those that several clients use.
var ours = [...]string{
	"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "APPDATA",
	"HANDOFF_WORKSPACE", "HANDOFF_DIR", "HANDOFF_AGENT",
}

// Environ is the environment for a program that is started on a machine: that of this process, with the variables of
// the machine that say where files are. A variable without a value is left out, as some clients take an empty one
// for a path.
func (m Machine) Environ() []string {
	names := append(ours[:], variables()...)
	environ := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
	for _, name := range names {
		if value := m.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// variables are those by which clients find their files, each once.
func variables() (names []string) {
	for _, c := range All() {
		for _, path := range slices.Concat(c.Traces, c.Servers.User) {
			os.Expand(string(path), func(name string) string {
				name, _, told := strings.Cut(name, ":-")
				if told && !slices.Contains(ours[:], name) && !slices.Contains(names, name) {
					names = append(names, name)
				}
				return ""
			})
		}
	}
	return names
}
