package installed

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// The scopes of entries that setup does not write.
const (
	Local  client.Scope = "local"  // for one person in one project, which only Claude Code knows
	Plugin client.Scope = "plugin" // for whoever has our plugin
)

// An Entry is our server as a file of a client lists it.
type Entry struct {
	client.Listed

	Client client.Client
	Scope  client.Scope
	Path   string // of the file
	Shared bool   // the file came with the project, and is not the user's

	fields map[string]any
}

// An Unread file cannot be read, or does not parse.
type Unread struct {
	Path string
	Err  error
}

// Entries gives the entries that a client has, and the files that do not tell theirs. Where the same file is that of
// the user and of the project, it is the user's.
func Entries(c client.Client, m client.Machine) (all []Entry, unread []Unread) {
	for _, p := range places(c.Servers, m) {
		doc, err := p.open(c.Servers.Syntax, m)
		if err != nil {
			unread = append(unread, Unread{p.path, err})
			continue
		}
		all = append(all, p.entries(c, m, doc)...)
	}
	return all, unread
}

// A place is a file of a scope.
type place struct {
	scope client.Scope
	path  string
}

// places gives the files of both scopes, each once.
func places(files client.Files, m client.Machine) (all []place) {
	for _, scope := range []client.Scope{client.User, client.Project} {
		path := files.In(scope, m)
		if path != "" && !slices.ContainsFunc(all, func(p place) bool { return p.path == path }) {
			all = append(all, place{scope, path})
		}
	}
	return all
}

func (p place) open(syntax client.Syntax, m client.Machine) (edit.Document, error) {
	if p.isShared(m) {
		return open(syntax, p.path, Largest)
	}
	return open(syntax, p.path, LargestOwn)
}

func (p place) entries(c client.Client, m client.Machine, doc edit.Document) (all []Entry) {
	add := func(scope client.Scope, list []any) {
		value, _ := doc.Look(append(list, client.ServerName)...)
		if fields, ok := value.(map[string]any); ok {
			all = append(all, Entry{client.ReadEntry(fields), c, scope, p.path, p.isShared(m), fields})
		}
	}
	add(p.scope, Under(c, doc))
	if c.Local != "" && p.scope == client.User {
		add(Local, append([]any{c.Local, m.Project}, under(c.Under)...))
	}
	return all
}

// Under gives the keys that lead to the object in which a client looks for its servers in one of its files.
func Under(c client.Client, doc edit.Document) []any {
	if c.Newer != nil {
		value, _ := doc.Look(under(c.Newer)...)
		if object, ok := value.(map[string]any); ok && !isServer(object) {
			return under(c.Newer)
		}
	}
	return under(c.Under)
}

// isServer tells a server that happens to have the name of a list.
func isServer(object map[string]any) bool { _, ok := object["type"].(string); return ok }

func under(keys []string) (way []any) {
	for _, key := range keys {
		way = append(way, key)
	}
	return way
}
