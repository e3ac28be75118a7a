package client

import "slices"

// Syntax is how a file is written.
type Syntax string

// The syntaxes, as observed in the clients.
const (
	BareJSON      Syntax = "JSON without a byte order mark"
	JSON          Syntax = "JSON"
	CommentedJSON Syntax = "JSON with comments"
	LooseJSON     Syntax = "JSON with comments and trailing commas"
	TOML          Syntax = "TOML"
)

// ConfigPaths holds the paths of the files in which a client keeps one kind of setting, for example its list of
// servers. A scope may have several paths for the same setting. The client reads the first file that exists. If none
// exists, setup creates the first file of the list.
type ConfigPaths struct {
	Syntax  Syntax
	User    []Path
	Project []Path // none: a project cannot have such settings
}

// PathFor returns the path of the file that the client reads for a scope: the first existing file, or the first path if
// no file exists. It returns "" if the scope has no paths.
func (f ConfigPaths) PathFor(scope Scope, m Machine) string {
	paths := f.User
	if scope == Project {
		paths = f.Project
	}
	if len(paths) == 0 {
		return ""
	}
	first := 0
	if len(paths) > 1 { // a single path needs no look at the disk
		first = slices.IndexFunc(paths, func(p Path) bool { return p.existsOn(m) })
	}
	return paths[max(first, 0)].ResolveOn(m)
}

// A ToolPermission is a text that lets our tools run without asking the person. It is an element of a list in a file of
// the client.
type ToolPermission struct {
	Files  ConfigPaths
	Keys   []any  // that lead to the list
	Prefix string // of the text; the name of our server follows
}

// PluginFiles describes how handoff recognises that a client has our plugin. The plugin contains the server and the
// hooks, so setup must not write them as well.
type PluginFiles struct {
	Syntax  Syntax
	User    []Path // the client reads all of them, unlike in [ConfigPaths]
	Project []Path
	Key     string   // of an object with the plugins of a file, each as NAME@MARKETPLACE; empty: the file itself is the sign
	Remove  []string // the arguments of the client's command that removes a plugin, without the plugin's name
}
