package doctor

import (
	"context"
	"net/http"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
)

// A Bench is what clients are examined with.
type Bench struct {
	Machine client.Machine
	Program Program
	Web     *http.Client
	Now     func() time.Time

	// Wanted tells that somebody asked for the client: then it is a fault that it is not set up.
	Wanted bool
}

// Client examines one client: what its files say of handoff, whether the server that they name works, and whether its
// hooks bring mail.
func Client(ctx context.Context, c client.Client, b Bench) []Finding {
	in := installationOf(c, b.Machine)
	all := in.unreadable()
	if !in.any() {
		if len(all) > 0 {
			return all
		}
		return []Finding{in.absent(b)}
	}
	for _, e := range in.all() {
		all = append(all, in.examineEntry(ctx, e, b))
	}
	all = append(all, in.twice()...)
	all = append(all, in.missingHooks()...)
	all = append(all, in.trust(b.Machine)...)
	return append(all, in.rehearsed(ctx, b)...)
}

// Idle says that no client has handoff, if that is so.
func Idle(clients []client.Client, m client.Machine) []Finding {
	for _, c := range clients {
		if installationOf(c, m).any() {
			return nil
		}
	}
	return []Finding{skipped(aboutClients, "no client on this machine is set up").remedied("handoff setup")}
}

// unreadable tells of the files that cannot be read.
func (in *installation) unreadable() (all []Finding) {
	for _, u := range in.unread {
		all = append(all, failure(aboutClients, "%s: %s: %v", in.client.Title, u.Path, u.Err).remedied("handoff setup %s --print", in.client.Name))
	}
	return all
}

func (in *installation) absent(b Bench) Finding {
	say, what := skipped, "is not set up"
	if b.Wanted {
		say = warning
	}
	if !in.client.Detect(b.Machine).Here() {
		what = "was not found on this machine"
	}
	return say(aboutClients, "%s %s", in.client.Title, what).remedied("handoff setup %s", in.client.Name)
}

// again is the command that mends an entry: it writes what belongs there, or removes what setup does not write.
func (in *installation) again(e installed.Entry) string {
	if e.Scope == installed.Local {
		return client.Line(append([]string{in.client.Program}, in.client.Own.Remove(e.Scope)...))
	}
	command := "handoff setup " + in.client.Name
	if e.Scope == client.Project {
		command += " --scope project"
	}
	return command + " --yes"
}

// twice tells of what runs twice.
func (in *installation) twice() (all []Finding) {
	hooks := len(in.hooks)
	switch {
	case in.plugin != "" && (hooks > 0 || len(in.entries) > 0):
		all = append(all, warning(aboutClients, "%s has both the plugin and what setup writes: its hooks run twice", in.client.Title).
			remedied("handoff setup %s --remove --yes", in.client.Name))
	case hooks > 1:
		all = append(all, warning(aboutClients, "%s has the hooks for its user and for the project: they run twice", in.client.Title).
			remedied("handoff setup %s --scope project --remove --yes", in.client.Name))
	}
	return all
}

// missingHooks tells of the events on which nothing is run.
func (in *installation) missingHooks() []Finding {
	if in.client.Hooks == nil || in.plugin != "" {
		return nil
	}
	if len(in.hooks) == 0 {
		return []Finding{skipped(aboutHooks, "%s has none: its sessions are not told of their mail", in.client.Title).
			remedied("handoff setup %s --hooks", in.client.Name)}
	}
	var missing []string
	for _, h := range in.client.Hooks.On {
		if !h.Wake && !in.runs(h.At) {
			missing = append(missing, h.At)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Finding{warning(aboutHooks, "%s runs none on %s", in.client.Title, strings.Join(missing, ", ")).
		remedied("handoff setup %s --hooks --yes", in.client.Name)}
}
