package setup

import (
	"errors"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
)

// A target is a file, with the parts of handoff that setup writes into it.
type target struct {
	path   string
	syntax client.Syntax
	parts  part
}

// A part is one part of handoff in a file, or a set of parts.
type part uint8

const (
	server part = 1 << iota
	hooks
	grant
)

func (t target) has(p part) bool { return t.parts&p != 0 }

// targets returns the files of a client in a scope, each once, because some clients keep servers, hooks and permissions
// in one file.
func (d Desired) targets(c client.Client) (all []target) {
	add := func(files client.Files, p part) {
		path := files.In(d.Scope, d.Machine)
		i := slices.IndexFunc(all, func(t target) bool { return t.path == path })
		switch {
		case path == "":
		case i >= 0:
			all[i].parts |= p
		default:
			all = append(all, target{path, files.Syntax, p})
		}
	}
	add(c.Servers, server)
	if c.Hooks != nil {
		add(c.Hooks.Files, hooks)
	}
	if c.Allow != nil {
		add(c.Allow(client.ServerName).Files, grant)
	}
	return all
}

// A keyPath leads to a value in a file: keys of objects, and numbers of elements of lists.
type keyPath []any

func (p keyPath) to(steps ...any) keyPath { return append(slices.Clone(p), steps...) }

// serverPath returns the path to our server in a file.
func serverPath(c client.Client, doc edit.Document) keyPath {
	return append(installed.Under(c, doc), installed.Name(c, doc))
}

// missing returns the paths of the objects that do not exist in a file and that our parts need there, outer objects
// first.
func missing(c client.Client, t target, doc edit.Document) (paths []keyPath) {
	need := func(p keyPath) {
		for n := range p {
			if _, ok := doc.Look(p[:n+1]...); !ok {
				paths = append(paths, p[:n+1])
			}
		}
	}
	if t.has(server) {
		need(installed.Under(c, doc))
	}
	if t.has(hooks) {
		for _, h := range c.Hooks.Commands {
			need(keyPath{installed.HooksKey, h.EventName})
		}
	}
	if t.has(grant) {
		need(c.Allow(client.ServerName).Keys)
	}
	return paths
}

// changeable reads a file that setup will change. The error says why setup must not change it. For example, a link may
// lead from the project to files elsewhere: the author of the project made the link, and must not be able to change
// those files, or to have them shown as part of the project.
func (d Desired) changeable(path string) (installed.File, error) {
	most := int64(installed.LargestOwn)
	if d.Scope == client.Project {
		most = installed.Largest
	}
	f, err := installed.Read(path, most)
	project := d.Machine.Project
	switch {
	case d.Scope == client.Project && workspace.DirContains(project, path) && !client.Within(project, f.Resolved):
		return installed.File{Path: path}, &reason{
			"a link leads out of the project, to " + f.Resolved,
			"Put a file or a directory in the place of the link, or set up your own with --scope user.",
		}
	case err != nil || f.Missing:
	case f.Info.Mode()&0o200 == 0:
		err = errors.New("it is read-only")
	default:
		err = checkReplaceable(f.Info)
	}
	return f, err
}

// A reason tells why a file is left alone, and how a person can change that.
type reason struct{ why, hint string }

func (r *reason) Error() string { return r.why }
func (r *reason) Hint() string  { return r.hint }

// PluginInstalled says that a client has our plugin.
type PluginInstalled struct{ reason }

func pluginInstalled(c client.Client, plugin installed.EnabledPlugin) *PluginInstalled {
	return &PluginInstalled{reason{
		"it has the plugin of handoff, which brings the same: both would run",
		shell.Line(append([]string{c.Program}, plugin.Remove...)) + " takes it out. Then run this again.",
	}}
}

// Foreign says that the server of another program has our name.
type Foreign struct{ reason }

func (d Desired) foreign(c client.Client) *Foreign {
	hint := "Give that one another name, and run this again."
	if c.Remove != nil {
		if remove := c.Remove(d.Scope, client.ServerName); remove != nil {
			hint = "Remove it, as with " + c.Program + " " + strings.Join(remove, " ") + ", and run this again."
		}
	}
	return &Foreign{reason{"it has another server that is called handoff", hint}}
}

// plugin returns our plugin in a client, if the client has it in the scope. In the user's scope only the user's plugins
// count.
func (d Desired) plugin(c client.Client) (_ installed.EnabledPlugin, ok bool) {
	for _, b := range installed.Plugins(c, d.Machine) {
		if b.Scope == client.User || d.Scope == client.Project {
			return b, true
		}
	}
	return installed.EnabledPlugin{}, false
}

// Hint tells a person the way out for a file that was left alone.
func Hint(err error) string {
	if hinted, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return hinted.Hint()
	}
	return ""
}
