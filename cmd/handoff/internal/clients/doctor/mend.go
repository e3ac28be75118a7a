package doctor

import (
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
)

// setupCommand returns the command that sets up the client. Without further flags, setup keeps the options of its last
// run. If setup leaves a file alone, it explains why and what the person can do.
func (in *installation) setupCommand(scope client.Scope, flags ...string) string {
	words := []string{in.Program.Call(), "setup", in.client.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+in.DirFlag)
	}
	return strings.Join(append(words, flags...), " ")
}

// mend returns a command that makes an entry start this program. The command changes PATH if the entry has only the
// name of the program, as setup writes it. Otherwise the command writes the entry anew.
func (in *installation) mend(e installed.Entry) string {
	byName := len(e.Command) > 0 && e.Command[0] == client.ServerName && (e.Scope != client.User || in.Program.OnPath == "")
	if lead := in.Program.pathCommand(); lead != "" && byName {
		return lead
	}
	return in.rewrite(e)
}

// rewrite returns a command that makes an entry equal to what setup writes. If setup never writes the entry, or if the
// client has the plugin, the command removes the entry.
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

// inProject returns "cd PROJECT && ", the beginning of a command that must run in the project's directory.
func (in *installation) inProject() string { return "cd " + shell.Quote(in.Machine.Project) + " && " }

// lastDesired returns the setup that the last run of setup wanted in a scope. The Server of the result is empty if
// setup never ran there.
func (in *installation) lastDesired(scope client.Scope) setup.Desired {
	setter := setup.Setter{Dir: setup.Receipts(in.Machine)}
	return setter.LastDesired(in.client, setup.Desired{Machine: in.Machine, Scope: scope})
}
