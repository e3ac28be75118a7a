package plugin

import (
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// claudeCatalogDir is where Claude Code looks for the catalog of a directory.
const claudeCatalogDir = ".claude-plugin"

// claudeTools begins the names of the tools of the plugin's server in Claude Code. That without a tool stands for all of
// them in a list of permissions.
const claudeTools = "mcp__plugin_" + name + "_" + client.ServerName

// manifest is how Claude Code and Codex know a plugin. They find the hooks and the rest by their places.
type manifest struct {
	Name        string                   `json:"name"`
	Version     string                   `json:"version"`
	Description string                   `json:"description"`
	Author      person                   `json:"author"`
	License     string                   `json:"license"`
	Keywords    []string                 `json:"keywords"`
	Servers     map[string]client.Object `json:"mcpServers"`
	Interface   *face                    `json:"interface,omitempty"`
}

type person struct {
	Name string `json:"name"`
}

func newManifest(s Source, c client.Client, server client.Server) manifest {
	return manifest{
		Name: name, Version: s.Version, Description: about, Author: person{author}, License: license,
		Keywords: []string{"agents", "delegation", "handoff", "mcp"},
		Servers:  map[string]client.Object{client.ServerName: c.Entry(server)},
	}
}

// hooks is the file of hooks, the same for all clients but for what the table says of them.
func hooks(dir string, c client.Client) File {
	return File{dir + "/hooks/hooks.json", object(struct {
		Hooks client.Object `json:"hooks"`
	}{c.Groups(client.Call{Program: client.ServerName})})}
}

func claude(s Source) []File {
	c := named("claude-code")
	files := []File{
		{claudeDir + "/.claude-plugin/plugin.json", object(newManifest(s, c, started()))},
		hooks(claudeDir, c),
		skill(claudeDir),
		{claudeDir + "/LICENSE", s.License},
		{claudeDir + "/README.md", written("claude.md", claudeGuide{newGuide(s, c, "/"+name+":"), claudeTools})},
		{claudeCatalogDir + "/marketplace.json", object(claudeCatalog())},
	}
	for _, command := range commands(s.Prompts) {
		files = append(files, claudeCommand(command))
	}
	return files
}

type claudeGuide struct {
	guide
	Tools string // what stands for all tools in its permissions
}

func claudeCommand(c command) File {
	return File{claudeDir + "/commands/" + c.Name + ".md", headed(c.body(`"$ARGUMENTS"`),
		key{"description", quoted(c.Description)},
		key{"argument-hint", quoted(c.Usage())},
		key{"disable-model-invocation", "true"}, // they are the person's; a model has the skill
		key{"allowed-tools", claudeTools + "__" + strings.Join(c.Tools(), ", "+claudeTools+"__")},
	)}
}

// catalog lists plugins for Claude Code.
type catalog struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Owner       person  `json:"owner"`
	Plugins     []offer `json:"plugins"`
}

type offer struct {
	Name        string `json:"name"`
	Source      string `json:"source"`
	Description string `json:"description"`
}

func claudeCatalog() catalog {
	return catalog{
		Name: name, Description: about, Owner: person{author},
		Plugins: []offer{{name, "./" + claudeDir, about}},
	}
}
