package installed

import (
	"maps"
	"os"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Brought plugin is ours, as a client has it. It brings the server and the hooks by itself.
type Brought struct {
	Scope  client.Scope
	Path   string   // of the file that says so
	Remove []string // the client's command that takes it out, without the program
}

// Plugins gives our plugins that a client has, the user's first.
func Plugins(c client.Client, m client.Machine) (all []Brought) {
	switch c.Name {
	case "claude-code":
		uninstall := []string{"plugin", "uninstall"}
		all = append(all, plugins(client.JSON, client.User, c.Hooks.In(client.User, m), "enabledPlugins", uninstall)...)
		for _, p := range []client.Path{".claude/settings.json", ".claude/settings.local.json"} {
			if path := p.At(m); len(all) == 0 || all[0].Path != path { // a project that is the home directory
				all = append(all, plugins(client.JSON, client.Project, path, "enabledPlugins", uninstall)...)
			}
		}
	case "codex":
		all = plugins(client.TOML, client.User, c.Servers.In(client.User, m), "plugins", []string{"plugin", "remove"})
	case "gemini-cli":
		extension := client.Path("${GEMINI_CLI_HOME:-~}/.gemini/extensions/handoff/gemini-extension.json").At(m)
		if _, err := os.Stat(extension); err == nil {
			all = []Brought{{client.User, extension, []string{"extensions", "uninstall", client.ServerName}}}
		}
	}
	return all
}

// plugins looks for plugins of ours, of any marketplace, in a list of a file.
func plugins(syntax client.Syntax, scope client.Scope, path, list string, remove []string) (all []Brought) {
	doc, err := Open(syntax, path)
	if err != nil {
		return nil
	}
	value, _ := doc.Look(list)
	listed, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if strings.HasPrefix(name, client.ServerName+"@") && isOn(listed[name]) {
			all = append(all, Brought{scope, path, append(slices.Clip(remove), name)})
		}
	}
	return all
}

// isOn reads true, and an object that is not disabled.
func isOn(value any) bool {
	switch v := value.(type) {
	case bool:
		return v
	case map[string]any:
		return v["enabled"] != false
	}
	return false
}
