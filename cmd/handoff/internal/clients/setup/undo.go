package setup

import (
	"bytes"
	"errors"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// Undo gives the changes that take handoff out of a client. It changes nothing. The text of a file becomes the one
// that was there before, if nobody else wrote since, else the one that is there now without our parts. The file that
// was made last comes first, so that a directory is empty when its turn comes.
func (s Setter) Undo(c client.Client, d Desired) (all []Change) {
	for _, t := range slices.Backward(d.targets(c)) {
		all = append(all, s.undone(c, d, t).besides())
	}
	return all
}

func (s Setter) undone(c client.Client, d Desired, t target) Change {
	change := Change{Client: c, desired: d, target: t}
	change.File, change.Err = d.changeable(t.path)
	change.After = change.File.Text
	if change.Err != nil {
		return change
	}
	r, known := s.receipt(change.File)
	change.receipt, change.Recorded = r, known
	if change.File.Missing {
		return change
	}
	if known && r.After == sum(change.File.Text) {
		change.After, change.Gone, change.Exact = r.Before, r.Missing, true
		return change
	}
	change.After, change.Err = change.without(r)
	if change.Err == nil {
		change.Foreign = change.foreign(r)
	}
	change.Gone = change.Err == nil && r.Missing && isNothing(change.After)
	return change
}

// Local says that a client has a server of ours for one person in one project.
type Local struct {
	Remove string // the client's command that removes it, in the project
}

func (l *Local) Error() string {
	return "another is for this project alone (" + l.Remove + " takes it out)"
}

// besides adds to an undoing of the user's servers what the client has of ours for this project alone: setup does not
// write that, so that it does not take it out.
func (c Change) besides() Change {
	if c.Foreign != nil || !c.target.has(server) || c.desired.Scope != client.User || c.Client.Own == nil {
		return c
	}
	entries, _ := installed.Entries(c.Client, c.desired.Machine)
	for _, e := range entries {
		if e.Scope == installed.Local {
			c.Foreign = &Local{shell.Line(append([]string{c.Client.Program}, c.Client.Own.Remove(e.Scope, e.Name)...))}
		}
	}
	return c
}

// isNothing tells a text that says nothing.
func isNothing(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "{}"
}

// without gives the text of the file without our parts.
func (c Change) without(r receipt) ([]byte, error) {
	doc, err := c.File.Document(c.target.syntax)
	if err != nil {
		return c.File.Text, err
	}
	before := doc.Bytes()
	nothing := c.desired
	nothing.Hooks, nothing.Server.Trust = false, false
	err = errors.Join(c.withoutServer(doc, r), nothing.putSettings(c.Client, c.target, doc, r))
	for _, path := range slices.Backward(r.Made) { // inner ones first
		if v, ok := doc.Look(path...); ok && edit.IsEmpty(v) {
			err = errors.Join(err, doc.Delete(path...))
		}
	}
	if err != nil || bytes.Equal(doc.Bytes(), before) {
		return c.File.Text, err
	}
	return doc.Bytes(), nil
}

// withoutServer takes our server out. It leaves a server of our name alone that is not ours.
func (c Change) withoutServer(doc edit.Document, r receipt) error {
	if !c.target.has(server) {
		return nil
	}
	at := serverPath(c.Client, doc)
	old, _ := doc.Look(at...)
	fields, ok := old.(map[string]any)
	if !ok || !c.desired.isOurs(fields, r) {
		return nil
	}
	return doc.Delete(at...)
}

// foreign gives a [*Foreign] if somebody put another server in the place of ours.
func (c Change) foreign(r receipt) error {
	if !c.target.has(server) || r.Path == "" {
		return nil
	}
	doc, err := edit.Open(c.target.syntax, c.After)
	if err != nil {
		return &installed.Broken{Err: err}
	}
	if _, there := doc.Look(append(installed.Under(c.Client, doc), client.ServerName)...); there {
		return &Foreign{removal(c.Client, c.desired.Scope)}
	}
	return nil
}
