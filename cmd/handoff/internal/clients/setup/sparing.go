package setup

import (
	"handoff/cmd/handoff/internal/clients/edit"
)

// Clients write their files anew: without comments, in a layout of their own. What they know better than others is their
// entry, so that is all that is taken of what they wrote.

// sparing gives the change by which the text that was there gets the entry of the client's own command, and nothing else
// that it changed. What it changed besides in what the file says is the client's business: then its text stays.
func (a *attempt) sparing(now Change) Change {
	if a.File.Missing || now.File.Missing {
		return now
	}
	ours, errOurs := a.File.Document(a.place.syntax)
	theirs, errTheirs := now.File.Document(a.place.syntax)
	if errOurs != nil || errTheirs != nil {
		return now
	}
	at := server(a.Client, theirs)
	if entry, there := theirs.Look(at...); there && ours.Set(edit.Taken(entry, a.Client.Entry(a.wish.Server)), at...) != nil {
		return now
	}
	if !edit.Alike(ours, theirs) || a.wish.put(a.Client, a.place, ours, a.receipt) != nil {
		return now
	}
	c := a.instead(now.File)
	c.After = ours.Bytes()
	return c
}
