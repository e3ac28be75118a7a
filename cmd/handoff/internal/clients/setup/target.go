package setup

import (
	"errors"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
)

// A targetFile is a file of a client, with the parts of handoff that setup writes into it.
type targetFile struct {
	path                 string
	syntax               client.Syntax
	server, hooks, grant bool
}

// targetFiles returns the files of a client for a scope. A file that holds several kinds of settings, for example
// servers and hooks, is returned once.
func (d DesiredSetup) targetFiles(c client.Client) (all []targetFile) {
	target := func(files client.ConfigPaths) *targetFile {
		path := files.PathFor(d.Scope, d.Machine)
		i := slices.IndexFunc(all, func(t targetFile) bool { return t.path == path })
		if i < 0 {
			i, all = len(all), append(all, targetFile{path: path, syntax: files.Syntax})
		}
		return &all[i]
	}
	target(c.Servers).server = true
	if c.Hooks != nil {
		target(c.Hooks.ConfigPaths).hooks = true
	}
	if c.Allow != nil {
		target(c.Allow.Files).grant = true
	}
	return slices.DeleteFunc(all, func(t targetFile) bool { return t.path == "" })
}

// A keyPath is the path to a value in a file: keys of objects and indices of lists.
type keyPath []any

func (p keyPath) withSteps(steps ...any) keyPath { return append(slices.Clone(p), steps...) }

// serverPath returns the path to our server in a file.
func serverPath(c client.Client, doc edit.Document) keyPath {
	return append(installed.ServerListKeys(c, doc), installed.OurServerName(c, doc))
}

// missingObjects returns the paths of the objects that our parts need in a file and that do not exist. Outer objects
// come first.
func missingObjects(c client.Client, t targetFile, doc edit.Document) (paths []keyPath) {
	need := func(p keyPath) {
		for n := range p {
			if _, ok := doc.Lookup(p[:n+1]...); !ok {
				paths = append(paths, p[:n+1])
			}
		}
	}
	if t.server {
		need(installed.ServerListKeys(c, doc))
	}
	if t.hooks {
		for _, h := range c.Hooks.Commands {
			need(keyPath{installed.HooksKey, h.EventName})
		}
	}
	if t.grant {
		need(c.Allow.Keys)
	}
	return paths
}

// readChangeable reads a file that setup will change. The error says why setup must not change the file. For example, a
// link in the project leads out of it: the author of the project could otherwise make setup change or show a file of
// the user.
func (d DesiredSetup) readChangeable(path string) (installed.ConfigFile, error) {
	most := int64(installed.LargestOwn)
	if d.Scope == client.Project {
		most = installed.Largest
	}
	f, err := installed.ReadFile(path, most)
	if f.Missing {
		f.Resolved = platform.ResolveLinks(path)
	}
	project := d.Machine.Project
	switch {
	case d.Scope == client.Project && workspace.DirContains(project, path) && !client.IsWithin(project, f.Resolved):
		return installed.ConfigFile{Path: path}, leftAlone("a link leads out of the project, to "+f.Resolved,
			"Put a file or a directory in the place of the link, or set up your own with --scope user.")
	case err != nil || f.Missing:
	case f.Info.Mode()&0o200 == 0:
		err = errors.New("it is read-only")
	case platform.HasHardLinks(f.Info):
		err = errors.New("it has another name (a hard link), under which it would stay as it is")
	case !platform.IsOwnFile(f.Info):
		err = errors.New("it belongs to another user")
	}
	return f, err
}

// leftAlone returns the error for a file that setup leaves alone. Its hint tells a person what to do.
func leftAlone(why, hint string) error {
	return schemas.Errorf(schemas.Conflict, "%s", why).WithHint("%s", hint)
}

// newPluginError returns the error that a client has our plugin.
func newPluginError(c client.Client, plugin installed.EnabledPlugin) error {
	return leftAlone("it has the plugin of handoff, which brings the same: both would run",
		shell.JoinWords(append([]string{c.Program}, plugin.Remove...))+" takes it out. Then run this again.")
}

// newForeignServerError returns the error that the server of another program has our name.
func (d DesiredSetup) newForeignServerError(c client.Client) error {
	hint := "Give that one another name, and run this again."
	if remove := c.RemoveCommand(d.Scope, client.ServerName); remove != "" {
		hint = "Remove it, as with " + remove + ", and run this again."
	}
	return leftAlone("it has another server that is called handoff", hint)
}

// enabledPlugin returns our plugin, if the client has it in the scope. In the user's scope, plugins of the project do
// not count.
func (d DesiredSetup) enabledPlugin(c client.Client) (_ installed.EnabledPlugin, ok bool) {
	for _, b := range installed.EnabledPlugins(c, d.Machine) {
		if b.Scope == client.User || d.Scope == client.Project {
			return b, true
		}
	}
	return installed.EnabledPlugin{}, false
}
