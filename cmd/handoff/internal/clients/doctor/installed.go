package doctor

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// An installation holds the entries, hooks and plugin of handoff in the files of a client.
type installation struct {
	ClientEnv

	client  client.Client
	entries []installed.Entry
	hooks   []installed.HookFile
	plugin  string // the file that enables our plugin; empty: there is none
	unread  []installed.Unread
}

// installationOf reads the files of a client.
func installationOf(c client.Client, b ClientEnv) *installation {
	in := &installation{ClientEnv: b, client: c}
	if plugins := installed.Plugins(c, b.Machine); len(plugins) > 0 {
		in.plugin = plugins[0].Path
	}
	var others []installed.Unread
	in.entries, in.unread = installed.Entries(c, b.Machine)
	in.hooks, others = installed.Hooks(c, b.Machine, b.Program.Path)
	for _, other := range others { // some clients have everything in one file
		if !slices.ContainsFunc(in.unread, func(u installed.Unread) bool { return u.Path == other.Path }) {
			in.unread = append(in.unread, other)
		}
	}
	return in
}

// any reports whether there is anything of ours.
func (in *installation) any() bool {
	return len(in.entries) > 0 || len(in.hooks) > 0 || in.plugin != ""
}

// all returns the entries, with an entry for the plugin.
func (in *installation) all() []installed.Entry {
	if in.plugin == "" {
		return in.entries
	}
	started := client.ListedServer{Server: client.Server{Command: []string{client.ServerName, "mcp"}}}
	return append(slices.Clip(in.entries),
		installed.Entry{ListedServer: started, Name: client.ServerName, Client: in.client, Scope: installed.Plugin, Path: in.plugin})
}

// A file is a configuration file, together with the syntax in which the client reads it.
type file struct {
	path   string
	syntax client.Syntax
}

// files returns the files that hold an entry or a hook of ours, each once.
func (in *installation) files() []file {
	servers := schemas.Map(in.all(), func(e installed.Entry) file { return file{e.Path, in.client.Servers.Syntax} })
	hooks := schemas.Map(in.hooks, func(f installed.HookFile) file { return file{f.Path, in.client.Hooks.Syntax} })
	return schemas.Unique(append(servers, hooks...))
}

// scopeOf returns the scope of a configuration file of the client. If the project is the home directory, the file
// belongs to the user's scope.
func (in *installation) scopeOf(path string) client.Scope {
	if path == in.client.Servers.In(client.User, in.Machine) ||
		in.client.Hooks != nil && path == in.client.Hooks.In(client.User, in.Machine) {
		return client.User
	}
	return client.Project
}

// trust examines whether a client uses its configuration files. Some clients first ask a person to trust them.
func (in *installation) trust() (all []Finding) {
	if in.client.Doubts == nil {
		return nil
	}
	for _, d := range in.client.Doubts(in.view()) {
		about, state := aboutClients, Warning
		if d.OfHooks {
			about = aboutHooks
		}
		switch {
		case d.Refused:
			state = Error
		case d.Ahead:
			state = Skipped
		}
		found := state.of(about, "%s %s", in.client.Title, d.Text)
		if d.Command != nil {
			found = found.try(in.inProject() + shell.Line(d.Command))
		}
		all = append(all, found)
	}
	return all
}

// view returns the facts for the client's row of the table.
func (in *installation) view() client.View {
	v := client.View{Machine: in.Machine, Plugin: in.plugin != "", Read: in.read}
	for _, f := range in.hooks {
		for _, h := range f.Handlers {
			v.Hooks = append(v.Hooks, client.HookPosition{Path: f.Path, EventName: h.Event, Group: h.Group, Number: h.Number})
		}
	}
	v.Project = slices.ContainsFunc(in.files(), func(f file) bool { return in.scopeOf(f.path) == client.Project })
	return v
}

func (in *installation) read(syntax client.Syntax, path client.Path, keys ...any) any {
	doc, err := installed.Open(syntax, path.At(in.Machine), installed.Largest)
	if err != nil {
		return nil
	}
	value, _ := doc.Look(keys...)
	return value
}
