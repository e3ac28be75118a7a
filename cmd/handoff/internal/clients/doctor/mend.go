package doctor

import (
	"errors"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
)

// mend is the command after which an entry is what setup writes. It takes out the server of another program, which
// setup would leave alone. It is empty if setup has nothing to change.
func (in *installation) mend(e installed.Entry) string {
	switch {
	case e.Scope == installed.Plugin:
		return in.Program.lead(in.Machine)
	case e.Scope == installed.Local, in.plugin != "": // setup writes nothing beside the plugin
		return in.removal(e)
	}
	change, known := in.planned(in.desired(e.Scope), e.Path)
	_, foreign := errors.AsType[*setup.Foreign](change.Err)
	switch {
	case foreign:
		return in.removal(e)
	case change.Err != nil:
		return in.setup(e.Scope, "--print")
	case known && !change.Same():
		return in.setup(e.Scope, "--yes")
	}
	return ""
}

// setup is the command that sets up the client. Without more flags setup keeps what the client was set up with.
func (in *installation) setup(scope client.Scope, flags ...string) string {
	words := []string{in.Program.Call(), "setup", in.client.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+in.Dir)
	}
	return strings.Join(append(words, flags...), " ")
}

// restart is the command after which an entry starts this program. If the entry has only the name of the program, as
// setup would write it, the command changes PATH.
func (in *installation) restart(e installed.Entry) string {
	byName := e.Command[0] == client.ServerName && (e.Scope != client.User || in.Program.OnPath == "")
	if lead := in.Program.lead(in.Machine); byName && lead != "" {
		return lead
	}
	return in.mend(e)
}

// complaint is the command that shows why a server does not answer, or the one that mends the entry.
func (in *installation) complaint(e installed.Entry) string {
	if e.Command[0] == client.ServerName && in.Program.OnPath != "" && in.Program.There == "" {
		return in.Program.lead(in.Machine)
	}
	if mend := in.mend(e); mend != "" && e.Scope != installed.Local {
		return mend
	}
	return shell.Line(e.Command) + " </dev/null"
}

// planned is the change that setup would make to a file of the client; ok is false if it is no file of the client.
func (in *installation) planned(w setup.Desired, path string) (change setup.Change, ok bool) {
	changes := in.setter().Plan(in.client, w)
	i := slices.IndexFunc(changes, func(c setup.Change) bool { return c.File.Path == path })
	if i < 0 {
		return setup.Change{}, false
	}
	return changes[i], true
}

func (in *installation) setter() setup.Setter {
	return setup.Setter{Dir: setup.Receipts(in.Machine), Now: in.Now}
}

// before is what setup was told last in a scope; its server is empty if it was told nothing.
func (in *installation) before(scope client.Scope) setup.Desired {
	return in.setter().AsBefore(in.client, setup.Desired{Machine: in.Machine, Scope: scope})
}

// desired is what setup would write without flags: the same as before, but with this program.
func (in *installation) desired(scope client.Scope) setup.Desired {
	w := in.before(scope)
	w.Hooks = w.Hooks || len(in.hooks) > 0
	w.Call.Program = in.Program.In(scope)
	if w.Server.URL == "" {
		told := []string{"mcp"}
		if len(w.Server.Command) > 0 {
			told = w.Server.Command[1:]
		}
		w.Server.Command, w.Server.Pass = slices.Concat([]string{w.Call.Program}, told), client.Passed[:]
	}
	return w
}

// removal is the client's own command that takes an entry out. If there is none, it is the command that shows what
// belongs into the file. The command of a strict client fails while the file has an entry with neither program nor
// URL.
func (in *installation) removal(e installed.Entry) string {
	if own := in.client.Own; own != nil && (!own.Strict || e.URL != "" || len(e.Command) > 0) {
		if arguments := own.Remove(e.Scope, e.Name); arguments != nil {
			return in.within(e.Scope) + shell.Line(append([]string{in.client.Program}, arguments...))
		}
	}
	return in.setup(in.scopeOf(e.Path), "--print")
}

// within is the beginning of a command that must run in the project.
func (in *installation) within(scope client.Scope) string {
	if scope == client.User {
		return ""
	}
	return "cd " + shell.Quote(in.Machine.Project) + " && "
}

// onlyPlugin is the command that takes out of one scope what setup wrote beside the plugin. It is empty if somebody
// changed all of that.
func (in *installation) onlyPlugin() string {
	if i := slices.IndexFunc(in.hooks, in.areOurs); i >= 0 {
		return in.setup(in.scopeOf(in.hooks[i].Path), "--remove", "--yes")
	}
	switch {
	case len(in.entries) == 0:
		return ""
	case in.entries[0].Scope == installed.Local:
		return in.removal(in.entries[0])
	}
	return in.setup(in.entries[0].Scope, "--remove", "--yes")
}

// areOurs tells whether all hooks in a file are ours, without any that somebody changed.
func (in *installation) areOurs(f installed.HookFile) bool {
	return !slices.ContainsFunc(f.Handlers, func(h installed.Handler) bool { return !in.isOurs(h.Line) })
}

// isOurs tells whether a line runs a hook of ours and does nothing besides.
func (in *installation) isOurs(line string) bool { return client.IsHookLine(line, in.Program.Path) }
