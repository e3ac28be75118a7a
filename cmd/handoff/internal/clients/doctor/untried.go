package doctor

import (
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// Of something in a file that is not tried, as it may be anybody's, nothing is repeated that stands there: see
// package installed.

func (in *installation) untriedEntry(e installed.Entry) Finding {
	return warning(aboutClients, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried", in.client.Title, e.Path).
		remedied("%s", in.mend(e))
}

// untriedHook has no remedy for what somebody made of a hook: setup leaves it alone and would put another beside it.
func (in *installation) untriedHook(f installed.HookFile, h client.Hook, line string) Finding {
	found := warning(aboutHooks, "%s: in %s: skipped: it is not what handoff setup writes, so it is not tried", in.client.Title, f.Path)
	if in.isOurs(line) {
		return found.remedied("%s", in.mendHooks(f))
	}
	found.Message += ": the hook on " + h.At + " begins as one of handoff and does something besides"
	return found
}
