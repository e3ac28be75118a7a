package installed

import (
	"maps"
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/schemas"
)

// isShared tells whether a file came with the project. If the project is the home directory or above it, the files
// of the user lie in it too, and remain the user's.
func (l location) isShared(m client.Machine) bool {
	return l.scope == client.Project || client.Within(m.Project, l.path) && !client.Within(m.Project, m.Home)
}

// Written tells whether an entry is, to the letter, what setup writes for one of these servers, or what it writes
// for everybody in a project. Any other entry of a project may be anybody's: nobody starts or calls it.
func (e Entry) Written(desired ...client.Server) bool {
	said := maps.Clone(e.fields)
	empty := func(_ string, value any) bool { return edit.IsEmpty(value) }
	maps.DeleteFunc(said, empty) // a client's own command leaves some
	return slices.ContainsFunc(append(desired, e.forEverybody()...), func(s client.Server) bool {
		return (s.URL != "" || len(s.Command) > 0) && edit.Same(said, e.Client.Entry(s))
	})
}

// forEverybody gives what setup may have written for everybody in a project, with the agent that an entry names.
func (e Entry) forEverybody() []client.Server {
	s := client.Server{Command: []string{client.ServerName, "mcp"}}
	if len(e.Command) == len(s.Command)+2 && isAgent(e.Command[3]) {
		s.Command = append(s.Command, "--agent", e.Command[3])
	}
	if !slices.ContainsFunc(e.Pass, func(name string) bool { return !slices.Contains(client.Passed[:], name) }) {
		s.Pass = e.Pass // earlier versions named fewer
	}
	trusted := s
	trusted.Trust = true
	return []client.Server{s, trusted}
}

// Words gives the words of a line in a file and the agent that it names. It is ok only if the line is, to the
// letter, what setup writes for the hook. A line of a project starts the program by its name; a line of a user may
// start it by its path and may name a workspace. The words leave the workspace out, as they are tried in another
// one.
func (f HookFile) Words(h client.Hook, line string) (words []string, agent string, ok bool) {
	call, ok := f.Client.Reads(h, line)
	named := call.Program == client.ServerName || !f.Shared && filepath.IsAbs(call.Program)
	ok = ok && named && (call.Agent == "" || isAgent(call.Agent)) && (call.Workspace == "" || !f.Shared)
	call.Workspace = ""
	return f.Client.Words(h, call), call.Agent, ok
}

func isAgent(name string) bool {
	_, err := schemas.ParseAgent("--agent", name)
	return err == nil
}
