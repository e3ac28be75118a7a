package doctor

import (
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/schemas"
)

// What lies in a project comes from whoever wrote the project: a clone of a stranger's repository must not have doctor
// start a program, call an address or give away a variable. So of that only what setup writes there itself is tried,
// word for word. What lies elsewhere is the user's own.

const untried = "skipped: it is not what handoff setup writes, so it is not tried"

// isShared tells whether a file came with the project. Where the project is the home directory or above it, the
// files of the user are in it too, and remain the user's.
func isShared(scope client.Scope, path string, m client.Machine) bool {
	return scope == client.Project || within(m.Project, path) && !within(m.Project, m.Home)
}

// foreign says of something in a file that it is not tried. It repeats nothing of what stands there.
func (in *installation) foreign(subject, path string, shared bool) Finding {
	f := warning(subject, "%s: in %s: %s", in.client.Title, path, untried)
	if shared {
		return f.remedied("handoff setup %s --scope project", in.client.Name)
	}
	return f.remedied("handoff setup %s --hooks --yes", in.client.Name)
}

// isWritten tells whether setup writes such a command for everybody in a project.
func (e entry) isWritten() bool {
	if len(e.Environ) > 0 {
		return false
	}
	plain := []string{client.ServerName, "mcp"}
	if len(e.Command) == len(plain)+2 && isAgent(e.Command[3]) {
		plain = append(plain, "--agent", e.Command[3])
	}
	return slices.Equal(e.Command, plain)
}

func isAgent(name string) bool {
	_, err := schemas.ParseAgent("--agent", name)
	return err == nil
}

// words gives the words of a hook's command line, if it is letter for letter one that setup writes, and the name under
// which it acts. A shared one starts the program by its name; that of a user may have its path.
func words(c client.Client, h client.Hook, line string, shared bool) (words []string, agent string, ok bool) {
	words, call, ok := c.Reads(h, line)
	named := call.Program == client.ServerName || !shared && filepath.IsAbs(call.Program)
	return words, call.Agent, ok && named && (call.Agent == "" || isAgent(call.Agent))
}
