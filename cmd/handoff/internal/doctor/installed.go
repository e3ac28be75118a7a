package doctor

import (
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
)

// An installation is what the files of a client say of handoff.
type installation struct {
	client  client.Client
	entries []installed.Entry
	hooks   []installed.HookFile
	plugin  string // the file that says that our plugin is on; empty: it is not
	unread  []installed.Unread
}

// installationOf reads the files of a client.
func installationOf(c client.Client, m client.Machine) *installation {
	in := &installation{client: c, plugin: pluginOf(c, m)}
	var others []installed.Unread
	in.entries, in.unread = installed.Entries(c, m)
	in.hooks, others = installed.Hooks(c, m)
	for _, other := range others { // some clients have everything in one file
		if !slices.ContainsFunc(in.unread, func(u installed.Unread) bool { return u.Path == other.Path }) {
			in.unread = append(in.unread, other)
		}
	}
	return in
}

// any tells whether there is anything of ours.
func (in *installation) any() bool {
	return len(in.entries) > 0 || len(in.hooks) > 0 || in.plugin != ""
}

// all gives the entries, also that of the plugin.
func (in *installation) all() []installed.Entry {
	if in.plugin == "" {
		return in.entries
	}
	started := client.Listed{Server: client.Server{Command: []string{client.ServerName, "mcp"}}}
	return append(slices.Clip(in.entries), installed.Entry{Listed: started, Client: in.client, Scope: installed.Plugin, Path: in.plugin})
}

// runs tells whether something of ours is run on an event.
func (in *installation) runs(event string) bool {
	return slices.ContainsFunc(in.hooks, func(f installed.HookFile) bool {
		return slices.ContainsFunc(f.Handlers, func(h installed.Handler) bool { return h.Event == event })
	})
}
