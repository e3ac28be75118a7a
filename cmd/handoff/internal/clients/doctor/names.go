package doctor

import (
	"cmp"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

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
				try(in.setup(in.client, e.Scope, "--agent", cmp.Or(server, hooks), "--yes"))}
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
