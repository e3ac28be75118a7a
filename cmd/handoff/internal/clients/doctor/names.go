package doctor

import (
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// twoNames finds a server and hooks of one scope with different names: the hooks then tell of somebody else's mail.
func (in *installation) twoNames() []Finding {
	for _, e := range in.entries {
		i := slices.IndexFunc(in.hooks, func(f installed.HookFile) bool { return in.scopeOf(f.Path) == e.Scope })
		if i < 0 || len(e.Command) == 0 || slices.ContainsFunc(e.Environ, namesAgent) {
			continue
		}
		server, hooks := shell.Argument(e.Command, "--agent"), in.agentOf(in.hooks[i])
		if server != hooks {
			return []Finding{warning(aboutHooks, "%s: its server acts %s, and its hooks %s",
				in.client.Title, as(server), as(hooks)).
				try(in.setup(in.client, e.Scope, "--yes"))}
		}
	}
	return nil
}

func namesAgent(pair string) bool { return strings.HasPrefix(pair, "HANDOFF_AGENT=") }

func as(agent string) string {
	if agent == "" {
		return "under the name of the session"
	}
	return "as " + agent
}

// agentOf is the name in the hooks of a file. The first hook counts that setup could have written.
func (in *installation) agentOf(f installed.HookFile) string {
	for _, h := range f.Handlers {
		i := slices.IndexFunc(in.client.Hooks.On, func(row client.Hook) bool { return row.At == h.Event && !row.Wake })
		if i < 0 {
			continue
		}
		if call, ok := in.client.Reads(in.client.Hooks.On[i], h.Line); ok {
			return call.Agent
		}
	}
	return ""
}
