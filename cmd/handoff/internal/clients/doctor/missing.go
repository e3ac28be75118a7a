package doctor

import (
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// missingHooks finds the events on which no hook of ours runs. A session with a server elsewhere needs none: hooks
// look at this machine.
func (in *installation) missingHooks() []Finding {
	switch {
	case in.client.Hooks == nil || in.plugin != "" || len(in.hooks) == 0 && (in.isServedElsewhere() || len(in.unread) > 0):
		return nil
	case len(in.hooks) == 0:
		return []Finding{skipped(aboutHooks, "%s has none: its sessions are not told of their mail", in.client.Title).
			try(in.setup(in.client, in.entries[0].Scope, "--hooks"))}
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
		try(in.mendHooks(in.hooks[0]))}
}

func (in *installation) isServedElsewhere() bool {
	return !slices.ContainsFunc(in.entries, func(e installed.Entry) bool { return e.URL == "" })
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
	return in.setup(in.client, in.scopeOf(f.Path), "--hooks", how)
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
