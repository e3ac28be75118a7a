package client

// Plugins are how a client shows that it has a plugin of ours, which brings the server and the hooks by itself.
type Plugins struct {
	Syntax  Syntax
	User    []Path // all of them are read, unlike those of [Files]
	Project []Path
	Key     string   // of an object with the plugins of a file, each as NAME@MARKETPLACE; empty: the file itself shows it
	Remove  []string // the arguments of the client's command that takes a plugin out, without its name
}
