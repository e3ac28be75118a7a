package doctor

import (
	"cmp"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// missingHooks finds the events on which no hook of ours runs. A session with a server elsewhere needs none: hooks
// look at this machine.
func (in *installation) missingHooks() []Finding {
	isServedHere := slices.ContainsFunc(in.entries, func(e installed.Entry) bool { return e.URL == "" })
	switch {
	case in.client.Hooks == nil || in.plugin != "" || len(in.hooks) == 0 && (!isServedHere || len(in.unread) > 0):
		return nil
	case len(in.hooks) == 0:
		return []Finding{skipped(aboutHooks, "%s has none: its sessions are not told of their mail", in.client.Title).
			try(in.setup(in.entries[0].Scope, "--hooks"))}
	}
	ran := map[string]bool{}
	for _, f := range in.hooks {
		for _, h := range f.Handlers {
			ran[h.Event] = true
		}
	}
	var missing []string
	for _, h := range in.client.Hooks.On {
		if !h.Wake && !ran[h.At] {
			missing = append(missing, h.At)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Finding{warning(aboutHooks, "%s runs none on %s", in.client.Title, strings.Join(missing, ", ")).
		try(in.mendHooks(in.hooks[0]))}
}

// mendHooks is the command after which the hooks of a file are what setup writes. If somebody changed one of them,
// setup would put another beside it, so that the command only shows them.
func (in *installation) mendHooks(f installed.HookFile) string {
	how := "--yes"
	switch {
	case in.plugin != "":
		return in.onlyPlugin()
	case !in.areOurs(f):
		how = "--print"
	}
	return in.setup(in.scopeOf(f.Path), "--hooks", how)
}

// mendHook is the command that may make a hook work; empty if setup would write the same hook.
func (in *installation) mendHook(f installed.HookFile, h client.Hook, line string) string {
	if f.Path == in.plugin {
		return in.Program.lead(in.Machine)
	}
	call := in.desired(in.scopeOf(f.Path)).Call
	switch {
	case in.client.Command(h, call) != line:
		return in.mendHooks(f)
	case call.Program == client.ServerName:
		return in.Program.lead(in.Machine)
	}
	return ""
}

// twoNames finds a server and hooks of one scope with different names: the hooks then tell of somebody else's mail.
func (in *installation) twoNames() []Finding {
	for _, e := range in.entries {
		i := slices.IndexFunc(in.hooks, func(f installed.HookFile) bool { return in.scopeOf(f.Path) == e.Scope })
		if i < 0 || len(e.Command) == 0 || e.Off {
			continue
		}
		if server, hooks := nameOf(e), in.agentOf(in.hooks[i]); server != hooks {
			return []Finding{warning(aboutHooks, "%s: its server acts %s, and its hooks %s: they tell of somebody else's mail",
				in.client.Title, as(server), as(hooks)).
				try(in.setup(e.Scope, "--agent", cmp.Or(server, hooks), "--yes"))}
		}
	}
	return nil
}

// nameOf is the name that an entry gives its server; empty if it gives none.
func nameOf(e installed.Entry) string {
	name := shell.Argument(e.Command, "--agent")
	for _, pair := range e.Environ {
		if value, named := strings.CutPrefix(pair, "HANDOFF_AGENT="); named && name == "" && !strings.Contains(value, "$") {
			name = value
		}
	}
	return name
}

func as(agent string) string {
	if agent == "" {
		return "under the name of the session"
	}
	return "as " + agent
}

// agentOf is the name in the hooks of a file. The first hook counts that setup could have written.
func (in *installation) agentOf(f installed.HookFile) string {
	for _, h := range f.Handlers {
		for _, row := range in.client.Hooks.On {
			if call, ok := in.client.Reads(row, h.Line); ok && row.At == h.Event {
				return call.Agent
			}
		}
	}
	return ""
}

// withheld finds the variables that are set here and that a client gives to its hooks and shells, but not to its
// server. Then one session has two names, or two stores.
func (in *installation) withheld() (all []Finding) {
	for _, e := range in.entries {
		if !in.client.Clean || e.Off || len(e.Command) == 0 {
			continue
		}
		names := slices.DeleteFunc(slices.Clone(client.Passed[:]), func(name string) bool {
			value := in.Machine.Getenv(name)
			flag, decided := overriding[name]
			return value == "" || decided && slices.Contains(e.Command, flag) || slices.Contains(e.Pass, name) ||
				slices.Contains(e.Environ, name+"="+value)
		})
		if len(names) > 0 {
			all = append(all, warning(aboutClients,
				"%s: its hooks and shells get %s of this environment, and its server does not, as %s does not name it: "+
					"one session may have two names or two stores",
				in.where(e), strings.Join(names, ", "), e.Path).try(in.mend(e)))
		}
	}
	return all
}

// overriding are the flags of a server that count more than a variable.
var overriding = map[string]string{
	"HANDOFF_AGENT": "--agent", "HANDOFF_WORKSPACE": "--workspace", "HANDOFF_DIR": "--dir",
}
