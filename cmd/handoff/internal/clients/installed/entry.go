package installed

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/schemas"
)

// The scopes of entries that setup never writes.
const (
	Local  client.Scope = "local"  // for one person in one project, which only Claude Code has
	Plugin client.Scope = "plugin" // for every person with our plugin
)

// A ServerEntry is one entry of our server in a client's file.
type ServerEntry struct {
	client.ListedServer

	Name   string // in the list; a user may have changed it
	Client client.Client
	Scope  client.Scope
	Path   string // of the file
	Shared bool   // the file came with the project, and is not the user's

	fields map[string]any
}

// An UnreadableFile is a file that cannot be read, or that does not parse.
type UnreadableFile struct {
	Path string
	Err  error
}

// ServerEntries returns our entries in the files of a client, and the files that it cannot read. An entry in a file
// that belongs to the project and to the user counts as the user's. A file belongs to both if the project is the home
// directory.
func ServerEntries(c client.Client, m client.Machine) (all []ServerEntry, unread []UnreadableFile) {
	unread = readDocuments(c.Servers, m, func(l listLocation, doc edit.Document) error {
		all = append(all, l.entries(c, m, doc)...)
		return nil
	})
	return all, unread
}

// A listLocation is a file of a scope.
type listLocation struct {
	scope  client.Scope
	path   string
	shared bool // it may have come with the project, for example in a clone
}

// readDocuments reads the existing files of both scopes, each once, and calls read with each document. It returns the
// files that cannot be read, and the files for which read fails.
func readDocuments(
	files client.ConfigPaths, m client.Machine, read func(listLocation, edit.Document) error,
) (unread []UnreadableFile) {
	var seen []string
	for _, scope := range []client.Scope{client.User, client.Project} {
		path := files.PathFor(scope, m)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || slices.Contains(seen, path) {
			continue
		}
		seen = append(seen, path)
		// A file of the user is shared, too, if it lies in the project. The exception is a project that contains the
		// whole home directory.
		shared := scope == client.Project || client.IsWithin(m.Project, path) && !client.IsWithin(m.Project, m.Home)
		most := int64(LargestOwn)
		if shared {
			most = Largest
		}
		doc, err := OpenDocument(files.Syntax, path, most)
		if err == nil {
			err = read(listLocation{scope, path, shared}, doc)
		}
		if err != nil {
			unread = append(unread, UnreadableFile{path, err})
		}
	}
	return unread
}

func (l listLocation) entries(c client.Client, m client.Machine, doc edit.Document) (all []ServerEntry) {
	add := func(scope client.Scope, list []any) {
		for _, name := range ourEntryNames(doc, list) {
			value, _ := doc.Lookup(append(list, name)...)
			if fields, ok := value.(map[string]any); ok {
				all = append(all, ServerEntry{client.ParseEntry(fields), name, c, scope, l.path, l.shared, fields})
			}
		}
	}
	add(l.scope, ServerListKeys(c, doc))
	if c.Local != "" && l.scope == client.User {
		add(Local, append([]any{c.Local, m.Project}, c.Under...))
	}
	return all
}

// OurServerName returns the name of our server in a file of a client. It is "handoff", unless an entry of another name
// starts handoff.
func OurServerName(c client.Client, doc edit.Document) string {
	return append(ourEntryNames(doc, ServerListKeys(c, doc)), client.ServerName)[0]
}

// ourEntryNames returns the names of all entries in a list that start handoff or are called "handoff". The name
// "handoff" comes first.
func ourEntryNames(doc edit.Document, list []any) (all []string) {
	value, _ := doc.Lookup(list...)
	servers, _ := value.(map[string]any)
	if _, ours := servers[client.ServerName]; ours {
		all = append(all, client.ServerName)
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		fields, _ := servers[name].(map[string]any)
		words := client.ParseEntry(fields).Command
		if name != client.ServerName && len(words) > 1 && client.IsHandoffCommand(words[0]) && words[1] == "mcp" {
			all = append(all, name)
		}
	}
	return all
}

// ServerListKeys returns the path of keys to the client's list of servers in one of its files.
func ServerListKeys(c client.Client, doc edit.Document) []any {
	if c.NewerKeys != nil {
		value, _ := doc.Lookup(c.NewerKeys...)
		if object, ok := value.(map[string]any); ok && !isServerEntry(object) {
			return c.NewerKeys
		}
	}
	return c.Under
}

// isServerEntry reports whether an object is an entry, and not a list of entries. Below the key "mcp" of opencode, for
// example, "servers" may be a list of entries, or the entry of a server with the name "servers".
func isServerEntry(object map[string]any) bool { _, ok := object["type"].(string); return ok }

// IsWrittenBySetup reports whether setup would write exactly this entry: for one of the desired servers, or for a
// server that all users of a project share. If a project's file has any other entry, handoff must not start or call its
// server, because another person may have written the entry.
func (e ServerEntry) IsWrittenBySetup(desired ...client.Server) bool {
	said := maps.Clone(e.fields)
	empty := func(_ string, value any) bool { return edit.IsEmptyContainer(value) }
	maps.DeleteFunc(said, empty) // a client's own command leaves some
	return slices.ContainsFunc(append(desired, e.sharedServers()...), func(s client.Server) bool {
		return (s.URL != "" || len(s.Command) > 0) && edit.SameValue(said, e.Client.Entry(s))
	})
}

// sharedServers returns the servers that setup writes into a project's file for all users. Their commands have the
// agent name of this entry.
func (e ServerEntry) sharedServers() []client.Server {
	s := client.Server{Command: []string{client.ServerName, "mcp"}}
	if len(e.Command) == len(s.Command)+2 {
		if _, err := schemas.ParseAgent("--agent", e.Command[3]); err == nil {
			s.Command = append(s.Command, "--agent", e.Command[3])
		}
	}
	if !slices.ContainsFunc(e.Pass, func(name string) bool { return !slices.Contains(client.PassedVariables[:], name) }) {
		s.Pass = e.Pass // earlier versions named fewer
	}
	trusted := s
	trusted.Trust = true
	return []client.Server{s, trusted}
}

// An EnabledPlugin is a plugin of ours that a client has.
type EnabledPlugin struct {
	Scope  client.Scope
	Path   string   // of the file that enables it
	Remove []string // the client's command that removes it, without the program
}

// EnabledPlugins returns our plugins that a client has enabled, beginning with the user's plugins. A file that belongs
// to the user and to the project counts as the user's.
func EnabledPlugins(c client.Client, m client.Machine) (all []EnabledPlugin) {
	if c.Plugins == nil {
		return nil
	}
	var read []string
	for i, p := range slices.Concat(c.Plugins.User, c.Plugins.Project) {
		scope, path := client.User, p.ResolveOn(m)
		if i >= len(c.Plugins.User) {
			scope = client.Project
		}
		if !slices.Contains(read, path) {
			read = append(read, path)
			all = append(all, enabledPluginsIn(c.Plugins, scope, path)...)
		}
	}
	return all
}

// enabledPluginsIn returns our plugins in one file, of any marketplace.
func enabledPluginsIn(row *client.PluginFiles, scope client.Scope, path string) (all []EnabledPlugin) {
	if row.Key == "" {
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		return []EnabledPlugin{{scope, path, append(slices.Clip(row.Remove), client.ServerName)}}
	}
	doc, err := OpenDocument(row.Syntax, path, Largest)
	if err != nil {
		return nil
	}
	value, _ := doc.Lookup(row.Key)
	listed, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if strings.HasPrefix(name, client.ServerName+"@") && isEnabled(listed[name]) {
			all = append(all, EnabledPlugin{scope, path, append(slices.Clip(row.Remove), name)})
		}
	}
	return all
}

// isEnabled reports whether the value of a plugin is true, or is an object that does not disable the plugin.
func isEnabled(value any) bool {
	object, ok := value.(map[string]any)
	return value == true || ok && object["enabled"] != false
}
