package doctor

import (
	"cmp"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// findDifferingAgentNames finds a server and hooks of one scope that have different agent names. The hooks then report
// mail of an agent whose mail the server cannot read.
func (in *installation) findDifferingAgentNames() []Finding {
	for _, e := range in.entries {
		i := slices.IndexFunc(in.hooks, func(f client.HookFile) bool { return in.scopeOfFile(f.Path) == e.Scope })
		if i < 0 || len(e.Command) == 0 || e.Off {
			continue
		}
		hooks := append(in.hookCalls(in.hooks[i]), client.HookCall{})[0].Agent
		if server := agentNameOf(e); server != hooks {
			return []Finding{warning(aboutHooks, "%s: its server acts %s, and its hooks %s: the hooks tell about the mail of another agent",
				in.client.Title, actsAsText(server), actsAsText(hooks)).
				withCommand(in.setupCommand(e.Scope, "--agent", cmp.Or(server, hooks), "--yes"))}
		}
	}
	return nil
}

// agentNameOf returns the agent name in an entry's arguments or environment, or "" if the entry gives no name.
func agentNameOf(e installed.ServerEntry) string {
	name := shell.FlagValue(e.Command, "--agent")
	for _, pair := range e.Environ {
		if value, named := strings.CutPrefix(pair, "HANDOFF_AGENT="); named && name == "" && !strings.Contains(value, "$") {
			name = value
		}
	}
	return name
}

func actsAsText(agent string) string {
	if agent == "" {
		return "under the name of the session"
	}
	return "as " + agent
}

// findWithheldVariables finds variables of this environment that a client passes to its hooks and shells, but not to
// its server. A session could then have two agent names or two stores.
func (in *installation) findWithheldVariables() (all []Finding) {
	for _, e := range in.entries {
		if !in.client.CleanEnv || e.Off || len(e.Command) == 0 {
			continue
		}
		names := slices.DeleteFunc(slices.Clone(client.PassedVariables[:]), func(name string) bool {
			value := in.Machine.Getenv(name)
			flag, decided := overriding[name]
			return value == "" || decided && slices.Contains(e.Command, flag) || slices.Contains(e.Pass, name) ||
				slices.Contains(e.Environ, name+"="+value)
		})
		if len(names) > 0 {
			all = append(all, warning(aboutClients,
				"%s: its hooks and shells get %s of this environment, and its server does not, as %s does not name it: "+
					"one session may have two names or two stores",
				in.describeEntry(e), strings.Join(names, ", "), e.Path).withCommand(in.rewriteEntryCommand(e)))
		}
	}
	return all
}

// overriding maps each variable to the flag of the server that overrides the variable.
var overriding = map[string]string{
	"HANDOFF_AGENT": "--agent", "HANDOFF_WORKSPACE": "--workspace", "HANDOFF_DIR": "--dir",
}
