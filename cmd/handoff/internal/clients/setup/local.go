package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// Local says that a client has a server of our name for one person in this project, which it starts instead of the one
// that setup writes.
type Local struct {
	Remove string // the command that removes it
}

func (l *Local) Error() string {
	return "besides there is one for this project alone (" + l.Remove + " takes it out)"
}

// besides adds to a change of a client's list what it has in others.
func (c Change) besides() Change {
	if c.Foreign != nil || c.place.path != c.Client.Servers.In(c.wish.Scope, c.wish.Machine) {
		return c
	}
	entries, _ := installed.Entries(c.Client, c.wish.Machine)
	if slices.ContainsFunc(entries, func(e installed.Entry) bool { return e.Scope == installed.Local }) {
		c.Foreign = &Local{client.Line(append([]string{c.Client.Program}, removal(c.Client, installed.Local)...))}
	}
	return c
}
