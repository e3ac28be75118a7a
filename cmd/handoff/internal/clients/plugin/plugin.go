// Package plugin writes handoff in the form in which clients install something by its name: a plugin of Claude Code,
// one of Codex, an extension of Gemini CLI, and the catalogs in which the two plugins are found. They are the
// directories of examples that carry these names, and are never edited there: a test of this package compares them
// with what is written here, and with -update puts it there.
//
// Each brings the server, the hooks, a command for every prompt of the server, and a skill that teaches how work is
// taken and given back. The entry of the server and the hooks come from the table of clients, the commands from what
// the server offers, the tools from their table. What is said to models and people is under text.
package plugin

import (
	"cmp"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// A File is one file of a plugin.
type File struct {
	Path string // in the directory of examples, with slashes
	Text string
}

// A Source is what plugins are made of, besides the tables of this program.
type Source struct {
	Version string // see [Version]
	License string
	Prompts []Prompt
}

// A Prompt is a command that the server offers.
type Prompt struct {
	Name, Description string
	Arguments         []Argument
}

// An Argument is what a person may give with a command.
type Argument struct {
	Name, Description string
	Required          bool
}

const (
	name    = client.ServerName // of the plugins, and of the catalogs
	about   = "Pass work between coding agents and people, and never lose it"
	author  = "The handoff authors"
	license = "MIT"
)

// The directories of the plugins.
const (
	claudeDir = "claude-plugin"
	codexDir  = "codex-plugin"
	geminiDir = "gemini-extension"
)

// Dirs are the directories of examples in which every file is written here.
func Dirs() []string {
	return []string{claudeDir, codexDir, geminiDir, claudeCatalogDir, codexCatalogDir}
}

// Files gives all files, by their paths. It panics on a prompt for which there are no words.
func Files(s Source) []File {
	files := slices.Concat(claude(s), codex(s), gemini(s))
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// started is the server as a plugin has it started: by a name that is found on PATH on every machine.
func started(pass ...string) client.Server {
	return client.Server{Command: []string{client.ServerName, "mcp"}, Pass: pass}
}

// named gives the row of a client, which is there.
func named(n string) client.Client {
	c, ok := client.Named(n)
	if !ok {
		panic("plugin: no client " + n)
	}
	return c
}
