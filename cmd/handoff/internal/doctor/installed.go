package doctor

import (
	"fmt"
	"os"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// An installation is what the files of a client say of handoff.
type installation struct {
	client  client.Client
	entries []entry
	hooks   []hookFile
	plugin  string // the file that says that our plugin is on; empty: it is not
	broken  []broken
}

// A hookFile is a file with hooks of ours: what is run on the events of the client, and which groups and places of its
// lists they have.
type hookFile struct {
	path     string
	shared   bool // it came with the project, and is not the user's
	commands map[string][]string
	places   []string // as event:group:number
}

// A broken file cannot be read, or does not parse.
type broken struct {
	path string
	err  error
}

// installed reads the files of a client.
func installed(c client.Client, m client.Machine) *installation {
	in := &installation{client: c}
	seen := map[string]bool{}
	for _, scope := range []client.Scope{client.User, client.Project} {
		if path := c.Servers.In(scope, m); path != "" && !seen[path] {
			seen[path] = true
			in.readServers(scope, path, m)
		}
		if c.Hooks == nil {
			continue
		}
		if path := c.Hooks.In(scope, m); path != "" && !seen["hooks:"+path] {
			seen["hooks:"+path] = true
			in.readHooks(path, isShared(scope, path, m))
		}
	}
	in.plugin = pluginOf(c, m)
	return in
}

// any tells whether there is anything of ours.
func (in *installation) any() bool {
	return len(in.entries) > 0 || len(in.hooks) > 0 || in.plugin != ""
}

// document gives a file, or nil where there is none or it is broken.
func (in *installation) document(syntax client.Syntax, path string) edit.Document {
	doc, err := documentOf(syntax, path)
	if err != nil && !os.IsNotExist(err) {
		in.broken = append(in.broken, broken{path, err})
	}
	return doc
}

const largest = 8 << 20 // bytes of a file that is a configuration

func documentOf(syntax client.Syntax, path string) (edit.Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return nil, fmt.Errorf("%s is no configuration file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := edit.Open(syntax, text)
	if err != nil {
		return nil, err // a nil pointer in it would be no nil document
	}
	return doc, nil
}

// readServers looks for our entry wherever the client may have it in one file.
func (in *installation) readServers(scope client.Scope, path string, m client.Machine) {
	doc := in.document(in.client.Servers.Syntax, path)
	if doc == nil {
		return
	}
	lists := []list{{string(scope), in.client.Under}, {string(scope), in.client.Newer}}
	if in.client.Name == "claude-code" && scope == client.User { // what it calls the local scope
		lists = append(lists, list{"local", []string{"projects", m.Project, "mcpServers"}})
	}
	for _, l := range lists {
		if value, there := doc.Look(l.way()...); there && l.keys != nil {
			if fields, ok := value.(map[string]any); ok {
				shared := isShared(scope, path, m)
				in.entries = append(in.entries, entry{client.ReadEntry(fields), l.scope, path, shared})
			}
		}
	}
}

// A list is an object with servers in a file.
type list struct {
	scope string
	keys  []string
}

func (l list) way() (way []any) {
	for _, key := range l.keys {
		way = append(way, key)
	}
	return append(way, client.ServerName)
}

func (in *installation) readHooks(path string, shared bool) {
	doc := in.document(in.client.Hooks.Syntax, path)
	if doc == nil {
		return
	}
	f := hookFile{path: path, shared: shared, commands: map[string][]string{}}
	value, _ := doc.Look("hooks")
	events, _ := value.(map[string]any)
	for event, value := range events {
		groups, _ := value.([]any)
		f.read(event, groups)
	}
	if len(f.commands) > 0 {
		in.hooks = append(in.hooks, f)
	}
}

func (f *hookFile) read(event string, groups []any) {
	for g, value := range groups {
		group, _ := value.(map[string]any)
		handlers, _ := group["hooks"].([]any)
		for n, value := range handlers {
			handler, _ := value.(map[string]any)
			if command, _ := handler["command"].(string); client.Resembles(command) {
				f.commands[event] = append(f.commands[event], command)
				f.places = append(f.places, fmt.Sprintf("%s:%d:%d", event, g, n))
			}
		}
	}
}
