package doctor

import (
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/cmd/handoff/internal/shell"
)

// setupCommand returns the command that sets up the client in a scope. Options without a flag keep their values from
// the last setup. If the command cannot change a file, it prints the reason and the remedy.
func (in *installation) setupCommand(scope client.Scope, flags ...string) string {
	words := []string{in.Program.ShellCommand(), "setup", in.client.Name}
	if scope == client.Project {
		words = append(words, "--scope project"+in.DirFlag)
	}
	return strings.Join(append(words, flags...), " ")
}

// fixEntryProgramCommand returns a command after which an entry starts this program. If the entry names the program as
// "handoff" and PATH does not lead to this version, the command corrects PATH. The exception is a user's entry while
// PATH leads to another version. There, and in all other cases, the command runs setup, which writes the entry again.
func (in *installation) fixEntryProgramCommand(e installed.ServerEntry) string {
	byName := len(e.Command) > 0 && e.Command[0] == client.ServerName && (e.Scope != client.User || in.Program.OnPath == "")
	if lead := in.Program.fixPathCommand(); lead != "" && byName {
		return lead
	}
	return in.rewriteEntryCommand(e)
}

// rewriteEntryCommand returns a command that writes an entry again, as setup does. If setup never writes entries of
// this kind, or if the client has the plugin, the command removes the entry.
func (in *installation) rewriteEntryCommand(e installed.ServerEntry) string {
	if e.Scope == installed.Local || in.plugin != "" {
		return in.removeEntryCommand(e)
	}
	return in.setupCommand(e.Scope, "--yes")
}

// removeEntryCommand returns the command that removes an entry. The plugin stays.
func (in *installation) removeEntryCommand(e installed.ServerEntry) string {
	if e.Scope == installed.Plugin {
		return ""
	}
	if e.Scope == installed.Local {
		return in.cdToProject() + in.client.RemoveCommand(e.Scope, e.Name)
	}
	return in.setupCommand(e.Scope, "--remove", "--yes")
}

// cdToProject returns "cd PROJECT && ", for a command that must run in the project's directory.
func (in *installation) cdToProject() string { return "cd " + shell.Quote(in.Machine.Project) + " && " }

// lastDesiredSetup returns the options of the client's last setup in a scope. The Server of the result is empty if
// setup never ran there.
func (in *installation) lastDesiredSetup(scope client.Scope) setup.DesiredSetup {
	setter := setup.Installer{Dir: setup.ReceiptDir(in.Machine)}
	return setter.WithLastOptions(in.client, setup.DesiredSetup{Machine: in.Machine, Scope: scope})
}
