package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// ClientEnv holds the facts and connections that all examinations of clients need.
type ClientEnv struct {
	CommandBuilder

	Machine client.Machine
	Web     *http.Client
	Timeout time.Duration // that a server has to answer

	// NamedByUser says that the user named the client. Then it is a fault if the client is not set up for handoff.
	NamedByUser bool
}

// ExamineClient examines one client: its files, its servers and the programs of its hooks. It does not start or call
// the server of an entry that another person may have written: see [installed.ServerEntry.IsWrittenBySetup]. The
// servers that it started have ended when it returns.
func ExamineClient(ctx context.Context, c client.Client, b ClientEnv) []Finding {
	in := readInstallation(c, b)
	all := in.findUnreadableFiles()
	if !in.isPresent() {
		if len(all) > 0 {
			return all
		}
		return []Finding{in.notInstalledFinding()}
	}
	entries := schemas.Map(in.entriesAndPlugin(), func(e installed.ServerEntry) Finding {
		_, found := in.tryEntry(ctx, e)
		return found
	})
	return slices.Concat(all, in.findRejectedFiles(), entries, in.findWithheldVariables(), in.findHooksWithoutServer(), in.findDifferingAgentNames(), in.findDoubleInstallation(),
		in.findMissingHooks(), in.examineTasks(), in.examineTrust(), schemas.Map(in.hooks, in.examineHookFile))
}

// findHooksWithoutServer finds our hooks in a client without our server. A session then hears of mail, and has no tool
// to read it.
func (in *installation) findHooksWithoutServer() []Finding {
	if len(in.hooks) == 0 || len(in.entries) > 0 || in.plugin != "" || len(in.unread) > 0 {
		return nil
	}
	return []Finding{failure(aboutClients, "%s has hooks and no server: its sessions hear of mail, and cannot take it",
		in.client.Title).
		withCommand(in.setupCommand(in.scopeOfFile(in.hooks[0].Path), "--yes"))}
}

// NoClientSetUp returns a finding if none of the clients is set up for handoff. It returns nil if a client's file
// cannot be read, because our entry may be in that file.
func NoClientSetUp(clients []client.Client, b ClientEnv) []Finding {
	for _, c := range clients {
		if in := readInstallation(c, b); in.isPresent() || len(in.unread) > 0 {
			return nil
		}
	}
	return []Finding{skipped(aboutClients, "no client on this machine is set up").withCommand(b.Program.ShellCommand() + " setup")}
}

// findUnreadableFiles finds the files that cannot be read.
func (in *installation) findUnreadableFiles() (all []Finding) {
	for _, u := range in.unread {
		remedy := in.setupCommand(in.scopeOfFile(u.Path), "--print")
		if errors.Is(u.Err, fs.ErrPermission) {
			remedy = "chmod u+rw " + shell.Quote(u.Path)
		}
		all = append(all, failure(aboutClients, "%s: %s: %v", in.client.Title, u.Path, u.Err).withCommand(remedy))
	}
	return all
}

// findRejectedFiles finds files that handoff can parse but the client cannot. For example, some clients accept no
// comments in JSON.
func (in *installation) findRejectedFiles() (all []Finding) {
	for _, f := range in.configFiles() {
		doc, err := installed.OpenDocument(f.syntax, f.path, installed.LargestOwn) // its size was checked before
		settings, ok := doc.(*edit.JSON)
		if !ok || err != nil {
			continue // findUnreadableFiles reports files that cannot be read
		}
		if why := settings.CheckSyntax(f.syntax); why != nil {
			all = append(all, failure(aboutClients, "%s reads nothing of %s, as %v: take that out",
				in.client.Title, f.path, why))
		}
	}
	return all
}

// examineTasks says whether calls of the client that wait go on in the background.
func (in *installation) examineTasks() []Finding {
	if in.client.TasksSince == "" {
		return nil
	}
	for _, off := range in.client.TasksOff {
		name, value, certain := strings.Cut(off, "=")
		if set := in.Machine.Getenv(name); set != "" && (!certain || set == value) {
			return []Finding{warning(aboutClients, "%s: a call that waits keeps its session busy, as %s is set here: unset it", in.client.Title, name)}
		}
	}
	return []Finding{ok(aboutClients, "%s: since %s, a call that waits goes on in the background of its terminal, and mail wakes the session", in.client.Title, in.client.TasksSince)}
}

func (in *installation) notInstalledFinding() Finding {
	state, what := Skipped, "is not set up"
	if in.NamedByUser {
		state = Warning
	}
	if !in.client.IsFoundOn(in.Machine) {
		what = "was not found on this machine"
	}
	return state.newFinding(aboutClients, "%s %s", in.client.Title, what).withCommand(in.setupCommand(client.User))
}

// findDoubleInstallation finds a client that has handoff from the plugin and from setup. The remedy removes what setup
// wrote, and keeps the plugin.
func (in *installation) findDoubleInstallation() []Finding {
	var what, remedy string
	switch {
	case in.plugin == "" || len(in.hooks)+len(in.entries) == 0:
		return nil
	case len(in.hooks) > 0:
		what, remedy = "hooks run twice", in.setupCommand(in.scopeOfFile(in.hooks[0].Path), "--remove", "--yes")
	default:
		what, remedy = "server is there twice", in.removeEntryCommand(in.entries[0])
	}
	return []Finding{warning(aboutClients, "%s has both the plugin and what setup writes: its %s", in.client.Title, what).
		withCommand(remedy)}
}
