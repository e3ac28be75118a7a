package doctor

import (
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// withheld finds the variables that are set here and that a client gives to its hooks and shells, but not to its
// server. Then one session has two names, or two stores.
func (in *installation) withheld() (all []Finding) {
	for _, e := range in.entries {
		if !in.client.Clean || e.Off || len(e.Command) == 0 {
			continue
		}
		var names []string
		for _, name := range client.Passed {
			if in.differs(e, name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			all = append(all, warning(aboutClients,
				"%s: its hooks and shells get %s of this environment, and its server does not, as %s does not name it: "+
					"one session may have two names or two stores",
				in.where(e), strings.Join(names, ", "), e.Path).try(in.mend(e)))
		}
	}
	return all
}

// differs tells whether the server of an entry finds another value of a variable than hooks do.
func (in *installation) differs(e installed.Entry, name string) bool {
	value := in.Machine.Getenv(name)
	if flag, decided := overriding[name]; decided && slices.Contains(e.Command, flag) || value == "" {
		return false
	}
	return !slices.Contains(e.Pass, name) && !slices.Contains(e.Environ, name+"="+value)
}

// overriding are the flags of a server that count more than a variable.
var overriding = map[string]string{
	"HANDOFF_AGENT": "--agent", "HANDOFF_WORKSPACE": "--workspace", "HANDOFF_DIR": "--dir",
}
