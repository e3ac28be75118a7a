package installed

import (
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

// An Entry is our server as a file of a client lists it.
type Entry struct {
	client.ListedServer

	Name   string // in the list; a user may have changed it
	Client client.Client
	Scope  client.Scope
	Path   string // of the file
	Shared bool   // the file came with the project, and is not the user's

	fields map[string]any
}

// An Unread file is one that cannot be read, or that does not parse.
type Unread struct {
	Path string
	Err  error
}

// Entries returns our entries in the files of a client, and the files that cannot be read. If the project and the user
// have the same file, for example at home, its entries count as the user's.
func Entries(c client.Client, m client.Machine) (all []Entry, unread []Unread) {
	for _, l := range locations(c.Servers, m) {
		doc, err := l.open(c.Servers.Syntax, m)
		if err != nil {
			unread = append(unread, Unread{l.path, err})
			continue
		}
		all = append(all, l.entries(c, m, doc)...)
	}
	return all, unread
}

// A location is a file of a scope.
type location struct {
	scope client.Scope
	path  string
}

// locations returns the files of both scopes, each once.
func locations(files client.Files, m client.Machine) (all []location) {
	for _, scope := range []client.Scope{client.User, client.Project} {
		path := files.In(scope, m)
		if path != "" && !slices.ContainsFunc(all, func(l location) bool { return l.path == path }) {
			all = append(all, location{scope, path})
		}
	}
	return all
}

func (l location) open(syntax client.Syntax, m client.Machine) (edit.Document, error) {
	if l.isShared(m) {
		return Open(syntax, l.path, Largest)
	}
	return Open(syntax, l.path, LargestOwn)
}

func (l location) entries(c client.Client, m client.Machine, doc edit.Document) (all []Entry) {
	add := func(scope client.Scope, list []any) {
		for _, name := range names(doc, list) {
			value, _ := doc.Look(append(list, name)...)
			if fields, ok := value.(map[string]any); ok {
				all = append(all, Entry{client.ReadEntry(fields), name, c, scope, l.path, l.isShared(m), fields})
			}
		}
	}
	add(l.scope, Under(c, doc))
	if c.Local != "" && l.scope == client.User {
		add(Local, append([]any{c.Local, m.Project}, c.Under...))
	}
	return all
}

// Name returns the name under which a file of a client lists our server: "handoff", unless an entry of another name
// starts handoff. A new entry gets the same name.
func Name(c client.Client, doc edit.Document) string {
	return append(names(doc, Under(c, doc)), client.ServerName)[0]
}

// names returns the names under which a list has handoff, ours first.
func names(doc edit.Document, list []any) (all []string) {
	value, _ := doc.Look(list...)
	servers, _ := value.(map[string]any)
	if _, ours := servers[client.ServerName]; ours {
		all = append(all, client.ServerName)
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		fields, _ := servers[name].(map[string]any)
		words := client.ReadEntry(fields).Command
		if name != client.ServerName && len(words) > 1 && client.IsHandoff(words[0]) && words[1] == "mcp" {
			all = append(all, name)
		}
	}
	return all
}

// Under returns the keys of the object in which a client looks for servers in one of its files.
func Under(c client.Client, doc edit.Document) []any {
	if c.NewerKeys != nil {
		value, _ := doc.Look(c.NewerKeys...)
		if object, ok := value.(map[string]any); ok && !isServer(object) {
			return c.NewerKeys
		}
	}
	return c.Under
}

// isServer reports whether an object is an entry and not a list of entries. It has to look, because a server may have
// the same name as the key of a list.
func isServer(object map[string]any) bool { _, ok := object["type"].(string); return ok }

// isShared reports whether a file may have come with the project. If the project is the home directory or a parent of
// it, the user's own files lie in the project as well, but they are not shared.
func (l location) isShared(m client.Machine) bool {
	return l.scope == client.Project || client.Within(m.Project, l.path) && !client.Within(m.Project, m.Home)
}

// Written reports whether setup would write exactly this entry, for one of the given servers or for everybody in a
// project. Any other entry of a project may come from any author, so handoff neither starts nor calls its server.
func (e Entry) Written(desired ...client.Server) bool {
	said := maps.Clone(e.fields)
	empty := func(_ string, value any) bool { return edit.IsEmpty(value) }
	maps.DeleteFunc(said, empty) // a client's own command leaves some
	return slices.ContainsFunc(append(desired, e.forEverybody()...), func(s client.Server) bool {
		return (s.URL != "" || len(s.Command) > 0) && edit.Same(said, e.Client.Entry(s))
	})
}

// forEverybody returns the servers that setup may have written for all users of a project, with the agent of the entry.
func (e Entry) forEverybody() []client.Server {
	s := client.Server{Command: []string{client.ServerName, "mcp"}}
	if len(e.Command) == len(s.Command)+2 && isAgent(e.Command[3]) {
		s.Command = append(s.Command, "--agent", e.Command[3])
	}
	if !slices.ContainsFunc(e.Pass, func(name string) bool { return !slices.Contains(client.PassedVariables[:], name) }) {
		s.Pass = e.Pass // earlier versions named fewer
	}
	trusted := s
	trusted.Trust = true
	return []client.Server{s, trusted}
}

func isAgent(name string) bool {
	_, err := schemas.ParseAgent("--agent", name)
	return err == nil
}

// An EnabledPlugin is a plugin of ours that a client has.
type EnabledPlugin struct {
	Scope  client.Scope
	Path   string   // of the file that enables it
	Remove []string // the client's command that removes it, without the program
}

// Plugins returns our plugins that a client has, the user's first. A file of both scopes counts as the user's.
func Plugins(c client.Client, m client.Machine) (all []EnabledPlugin) {
	if c.Plugins == nil {
		return nil
	}
	var read []string
	for i, p := range slices.Concat(c.Plugins.User, c.Plugins.Project) {
		scope, path := client.User, p.At(m)
		if i >= len(c.Plugins.User) {
			scope = client.Project
		}
		if !slices.Contains(read, path) {
			read = append(read, path)
			all = append(all, plugins(c.Plugins, scope, path)...)
		}
	}
	return all
}

// plugins returns our plugins in one file, of any marketplace.
func plugins(row *client.Plugins, scope client.Scope, path string) (all []EnabledPlugin) {
	if row.Key == "" {
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		return []EnabledPlugin{{scope, path, append(slices.Clip(row.Remove), client.ServerName)}}
	}
	doc, err := Open(row.Syntax, path, Largest)
	if err != nil {
		return nil
	}
	value, _ := doc.Look(row.Key)
	listed, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if strings.HasPrefix(name, client.ServerName+"@") && isOn(listed[name]) {
			all = append(all, EnabledPlugin{scope, path, append(slices.Clip(row.Remove), name)})
		}
	}
	return all
}

// isOn reports whether a value is true, or an object that is not disabled.
func isOn(value any) bool {
	object, ok := value.(map[string]any)
	return value == true || ok && object["enabled"] != false
}
