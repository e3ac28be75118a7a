package doctor

import (
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
)

// setup is the command that sets up the client. Without more flags setup keeps what the client was set up with. Of what
// it leaves alone it says why, and what to do.
func (in *installation) setup(scope client.Scope, flags ...string) string {
	words := []string{in.Program.Call(), "setup", in.client.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+in.Dir)
	}
	return strings.Join(append(words, flags...), " ")
}

// mend is the command after which an entry starts this program. If the entry has only the name of the program, as setup
// would write it, the command changes PATH.
func (in *installation) mend(e installed.Entry) string {
	byName := len(e.Command) > 0 && e.Command[0] == client.ServerName && (e.Scope != client.User || in.Program.OnPath == "")
	if lead := in.Program.lead(); lead != "" && byName {
		return lead
	}
	return in.rewrite(e)
}

// rewrite is the command after which an entry is what setup writes. An entry that setup never writes is taken out, and so
// is one beside the plugin.
func (in *installation) rewrite(e installed.Entry) string {
	if e.Scope == installed.Local || in.plugin != "" {
		return in.removal(e)
	}
	return in.setup(e.Scope, "--yes")
}

// removal is the command that takes an entry out. The plugin stays.
func (in *installation) removal(e installed.Entry) string {
	if e.Scope == installed.Plugin {
		return ""
	}
	if e.Scope == installed.Local {
		words := append([]string{in.client.Program}, in.client.Remove(e.Scope, e.Name)...)
		return in.inProject() + shell.Line(words)
	}
	return in.setup(e.Scope, "--remove", "--yes")
}

// inProject is the beginning of a command that must run in the project.
func (in *installation) inProject() string { return "cd " + shell.Quote(in.Machine.Project) + " && " }

// before is what setup was told last in a scope; its server is empty if it was told nothing.
func (in *installation) before(scope client.Scope) setup.Desired {
	setter := setup.Setter{Dir: setup.Receipts(in.Machine)}
	return setter.AsBefore(in.client, setup.Desired{Machine: in.Machine, Scope: scope})
}
