package doctor

import (
	"fmt"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Shell is where somebody pastes a remedy: how this program is called there, and with which flags.
type Shell struct {
	Program Program
	Dir     string // the flag by which a command means the same project, after a space; empty: it needs none
	Place   string // the flags by which it means the same workspace, each after a space
}

// line writes a command about the workspace.
func (s Shell) line(format string, args ...any) string {
	return s.Program.Call() + " " + fmt.Sprintf(format, args...) + s.Place
}

// setup writes the command that sets up a client. Without more flags setup keeps what the client was set up with.
func (s Shell) setup(c client.Client, scope client.Scope, flags ...string) string {
	words := []string{s.Program.Call(), "setup", c.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+s.Dir)
	}
	return strings.Join(append(words, flags...), " ")
}
