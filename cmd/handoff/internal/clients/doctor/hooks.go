package doctor

import (
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// examineHookFile checks whether the programs of the hooks in a file exist. It runs no hook.
func (in *installation) examineHookFile(f client.HookFile) Finding {
	for _, call := range in.hookCalls(f) {
		if in.Machine.ProgramPath(call.Program) != "" {
			continue
		}
		found := failure(aboutHooks, "%s: %s, which the hooks in %s start, is not there", in.client.Title, call.Program, f.Path)
		if lead := in.Program.fixPathCommand(); lead != "" && call.Program == client.ServerName {
			return found.withCommand(lead)
		}
		return found.withCommand(in.setupCommand(in.scopeOfFile(f.Path), "--hooks", "--yes"))
	}
	return ok(aboutHooks, "%s: %s in %s", in.client.Title, schemas.CountNoun(len(f.Handlers), "hook"), f.Path)
}

// hookCalls returns the calls of handoff in the hooks of a file. It omits hooks that setup cannot have written.
func (in *installation) hookCalls(f client.HookFile) (all []client.HookCall) {
	for _, h := range f.Handlers {
		if call, ok := client.ParseHookLine(h.Line, in.Program.Path); ok {
			all = append(all, call)
		}
	}
	return all
}

// findMissingHooks finds events of a client that have no hook of ours. If the client's server is on another machine, it
// finds none, because hooks read only the workspace of this machine.
func (in *installation) findMissingHooks() []Finding {
	isServedHere := slices.ContainsFunc(in.entries, func(e installed.ServerEntry) bool { return e.URL == "" })
	switch {
	case in.client.Hooks == nil || in.plugin != "" || len(in.hooks) == 0 && (!isServedHere || len(in.unread) > 0):
		return nil
	case len(in.hooks) == 0:
		return []Finding{skipped(aboutHooks, "%s has none: its sessions are not told of their mail", in.client.Title).
			withCommand(in.setupCommand(in.entries[0].Scope, "--hooks"))}
	}
	var ran []string
	for _, f := range in.hooks {
		ran = append(ran, schemas.Map(f.Handlers, func(h client.HookHandler) string { return h.Event })...)
	}
	var missing []string
	for _, h := range in.client.Hooks.Commands {
		if h.Event != client.Wake && !slices.Contains(ran, h.EventName) {
			missing = append(missing, h.EventName)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Finding{warning(aboutHooks, "%s runs none on %s", in.client.Title, strings.Join(missing, ", ")).
		withCommand(in.setupCommand(in.scopeOfFile(in.hooks[0].Path), "--hooks"))} // it shows the new hooks, and asks
}
