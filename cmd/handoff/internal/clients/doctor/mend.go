package doctor

import (
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
)

// setupCommand returns the command that sets up the client. Without more flags setup keeps the options of the last setup. It
// explains why it leaves a file alone, and the way out.
func (in *installation) setupCommand(scope client.Scope, flags ...string) string {
	words := []string{in.Program.Call(), "setup", in.client.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+in.DirFlag)
	}
	return strings.Join(append(words, flags...), " ")
}

// mend returns the command after which an entry starts this program. If the entry has only the name of the program, as
// setup would write it, the command changes PATH.
func (in *installation) mend(e installed.Entry) string {
	byName := len(e.Command) > 0 && e.Command[0] == client.ServerName && (e.Scope != client.User || in.Program.OnPath == "")
	if lead := in.Program.pathCommand(); lead != "" && byName {
		return lead
	}
	return in.rewrite(e)
}

// rewrite returns the command after which an entry is as setup writes it. The command removes an entry that setup never
// writes, and an entry of a client with the plugin.
func (in *installation) rewrite(e installed.Entry) string {
	if e.Scope == installed.Local || in.plugin != "" {
		return in.removal(e)
	}
	return in.setupCommand(e.Scope, "--yes")
}

// removal returns the command that removes an entry. The plugin stays.
func (in *installation) removal(e installed.Entry) string {
	if e.Scope == installed.Plugin {
		return ""
	}
	if e.Scope == installed.Local {
		words := append([]string{in.client.Program}, in.client.Remove(e.Scope, e.Name)...)
		return in.inProject() + shell.Line(words)
	}
	return in.setupCommand(e.Scope, "--remove", "--yes")
}

// inProject returns the beginning of a command that must run in the project.
func (in *installation) inProject() string { return "cd " + shell.Quote(in.Machine.Project) + " && " }

// lastDesired returns the desired setup of the last run in a scope. Its server is empty if there was none.
func (in *installation) lastDesired(scope client.Scope) setup.Desired {
	setter := setup.Setter{Dir: setup.Receipts(in.Machine)}
	return setter.LastDesired(in.client, setup.Desired{Machine: in.Machine, Scope: scope})
}
