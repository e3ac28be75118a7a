package client

import (
	"os"
	"slices"
	"strings"
)

// told are the variables on which it depends where something is.
var told = [...]string{
	"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "APPDATA",
	"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "HANDOFF_WORKSPACE", "HANDOFF_DIR", "HANDOFF_AGENT",
}

// Environ is the environment for programs that are started on a machine: that of this process, with the machine's
// places. A variable without a value is left out, as some clients take an empty one for a place.
func (m Machine) Environ() []string {
	environ := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(told[:], name)
	})
	for _, name := range told {
		if value := m.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}
