package installed

import (
	"maps"
	"os"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Brought plugin is a plugin of ours that a client has.
type Brought struct {
	Scope  client.Scope
	Path   string   // of the file that says so
	Remove []string // the client's command that takes it out, without the program
}

// Plugins gives our plugins that a client has, the user's first. A file that is both the user's and the project's
// counts as the user's.
func Plugins(c client.Client, m client.Machine) (all []Brought) {
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

// plugins gives our plugins in one file, of any marketplace.
func plugins(row *client.Plugins, scope client.Scope, path string) (all []Brought) {
	if row.Key == "" {
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		return []Brought{{scope, path, append(slices.Clip(row.Remove), client.ServerName)}}
	}
	doc, err := Open(row.Syntax, path, Largest)
	if err != nil {
		return nil
	}
	value, _ := doc.Look(row.Key)
	listed, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if strings.HasPrefix(name, client.ServerName+"@") && isOn(listed[name]) {
			all = append(all, Brought{scope, path, append(slices.Clip(row.Remove), name)})
		}
	}
	return all
}

// isOn reads true, and an object that is not disabled.
func isOn(value any) bool {
	object, ok := value.(map[string]any)
	return value == true || ok && object["enabled"] != false
}
