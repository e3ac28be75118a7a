package doctor

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// An installation holds the entries, hooks and plugin of handoff in the files of one client.
type installation struct {
	ClientEnv

	client  client.Client
	entries []installed.ServerEntry
	hooks   []client.HookFile
	plugin  string // the file that enables our plugin; empty: there is none
	unread  []installed.UnreadableFile
}

// readInstallation reads the files of a client.
func readInstallation(c client.Client, b ClientEnv) *installation {
	in := &installation{ClientEnv: b, client: c}
	if plugins := installed.EnabledPlugins(c, b.Machine); len(plugins) > 0 {
		in.plugin = plugins[0].Path
	}
	var others []installed.UnreadableFile
	in.entries, in.unread = installed.ServerEntries(c, b.Machine)
	in.hooks, others = installed.HookFiles(c, b.Machine, b.Program.Path)
	for _, other := range others { // some clients have everything in one file
		if !slices.ContainsFunc(in.unread, func(u installed.UnreadableFile) bool { return u.Path == other.Path }) {
			in.unread = append(in.unread, other)
		}
	}
	return in
}

// isPresent reports whether the client has an entry, a hook or a plugin of handoff.
func (in *installation) isPresent() bool {
	return len(in.entries) > 0 || len(in.hooks) > 0 || in.plugin != ""
}

// entriesAndPlugin returns the entries, with an entry for the plugin.
func (in *installation) entriesAndPlugin() []installed.ServerEntry {
	if in.plugin == "" {
		return in.entries
	}
	started := client.ListedServer{Server: client.Server{Command: []string{client.ServerName, "mcp"}}}
	return append(slices.Clip(in.entries),
		installed.ServerEntry{ListedServer: started, Name: client.ServerName, Client: in.client, Scope: installed.Plugin, Path: in.plugin})
}

// A configFile is a configuration file with the syntax in which the client reads it.
type configFile struct {
	path   string
	syntax client.Syntax
}

// configFiles returns the files that hold an entry or a hook of ours. It returns no file twice.
func (in *installation) configFiles() []configFile {
	servers := schemas.Map(in.entriesAndPlugin(), func(e installed.ServerEntry) configFile { return configFile{e.Path, in.client.Servers.Syntax} })
	hooks := schemas.Map(in.hooks, func(f client.HookFile) configFile { return configFile{f.Path, in.client.Hooks.Syntax} })
	return schemas.Unique(append(servers, hooks...))
}

// scopeOfFile returns the scope of a configuration file. A file that belongs to the user and to the project counts as
// the user's.
func (in *installation) scopeOfFile(path string) client.Scope {
	if path == in.client.Servers.PathFor(client.User, in.Machine) ||
		in.client.Hooks != nil && path == in.client.Hooks.PathFor(client.User, in.Machine) {
		return client.User
	}
	return client.Project
}

// examineTrust examines whether the client uses its configuration files. Some clients use them only after a person said
// that the project is trusted.
func (in *installation) examineTrust() (all []Finding) {
	if in.client.TrustObstacles == nil {
		return nil
	}
	for _, d := range in.client.TrustObstacles(in.newMachineView()) {
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
		found := state.newFinding(about, "%s %s", in.client.Title, d.Text)
		if d.Command != nil {
			found = found.withCommand(in.cdToProject() + shell.JoinWords(d.Command))
		}
		all = append(all, found)
	}
	return all
}

// newMachineView returns the facts for the client's row of the table.
func (in *installation) newMachineView() client.MachineView {
	v := client.MachineView{Machine: in.Machine, Client: in.client, Plugin: in.plugin != "", Hooks: in.hooks, Read: in.readValue}
	v.Project = slices.ContainsFunc(in.configFiles(), func(f configFile) bool { return in.scopeOfFile(f.path) == client.Project })
	return v
}

func (in *installation) readValue(syntax client.Syntax, path client.Path, keys ...any) any {
	doc, err := installed.OpenDocument(syntax, path.ResolveOn(in.Machine), installed.Largest)
	if err != nil {
		return nil
	}
	value, _ := doc.Lookup(keys...)
	return value
}
