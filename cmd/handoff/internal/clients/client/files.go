package client

import (
	"os"
)

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

// Files are the places where a client keeps one kind of setting. A scope may have several names for the same file: the
// client reads the existing file, and setup creates the first.
type Files struct {
	Syntax  Syntax
	User    []Path
	Project []Path // none: a project cannot have such settings
}

// In returns the file of a scope on a machine: the first that exists, else the first. It is empty if there is none.
func (f Files) In(scope Scope, m Machine) string {
	paths := f.User
	if scope == Project {
		paths = f.Project
	}
	for _, p := range paths {
		if _, err := os.Stat(p.At(m)); err == nil {
			return p.At(m)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return paths[0].At(m)
}

// A Grant is a text in a list of a file. It lets tools run without asking.
type Grant struct {
	Files Files
	Keys  []any // that lead to the list
	Text  string
}

// Plugins describe the sign that a client has a plugin of ours. A plugin brings the server and the hooks by itself.
type Plugins struct {
	Syntax  Syntax
	User    []Path // the client reads all of them, unlike in [Files]
	Project []Path
	Key     string   // of an object with the plugins of a file, each as NAME@MARKETPLACE; empty: the file itself is the sign
	Remove  []string // the arguments of the client's command that removes a plugin, without the plugin's name
}
