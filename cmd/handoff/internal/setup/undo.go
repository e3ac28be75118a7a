package setup

import (
	"bytes"
	"errors"
	"os"
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/edit"
	"handoff/cmd/handoff/internal/installed"
)

// Undo gives the changes that take us out of a client: the texts that were there before, where nobody else wrote since,
// else what is there now without our parts. The file that was made last comes first, so that a directory is empty when
// its turn comes. It goes over the files that receipts tell of, too.
func (s Setter) Undo(c client.Client, w Wish) (all []Change) {
	for _, p := range slices.Backward(append(w.places(c), s.elsewhere(c, w)...)) {
		all = append(all, s.undone(c, w, p).besides())
	}
	return all
}

func (s Setter) undone(c client.Client, w Wish, p place) Change {
	change := Change{Client: c, wish: w, place: p}
	change.File, change.Err = changeable(p.path)
	change.After = change.File.Text
	if change.Err != nil || change.File.Missing {
		return change
	}
	r, known := s.receipt(change.File)
	change.receipt = r
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

// isNothing tells a file that only we needed.
func isNothing(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "{}"
}

// without gives the text of the file without our parts.
func (c Change) without(r receipt) ([]byte, error) {
	doc, err := c.File.Document(c.place.syntax)
	if err != nil {
		return c.File.Text, err
	}
	before := doc.Bytes()
	err = errors.Join(c.withoutServer(doc, r), c.withoutSettings(doc, r))
	for _, w := range r.inner() {
		if v, ok := doc.Look(w...); ok && edit.IsEmpty(v) {
			err = errors.Join(err, doc.Delete(w...))
		}
	}
	if err != nil || bytes.Equal(doc.Bytes(), before) {
		return c.File.Text, err
	}
	return doc.Bytes(), nil
}

// withoutServer leaves a server alone that is not ours.
func (c Change) withoutServer(doc edit.Document, r receipt) error {
	if !c.place.has.server {
		return nil
	}
	at := server(c.Client, doc)
	old, _ := doc.Look(at...)
	fields, ok := old.(map[string]any)
	if !ok || !c.wish.isOurs(fields, r) {
		return nil
	}
	return doc.Delete(at...)
}

// foreign tells of a server that somebody put in the place of ours.
func (c Change) foreign(r receipt) error {
	if !c.place.has.server || r.Path == "" {
		return nil
	}
	doc, err := edit.Open(c.place.syntax, c.After)
	if err != nil {
		return &installed.Broken{Err: err}
	}
	if _, there := doc.Look(server(c.Client, doc)...); there {
		return &Foreign{removal(c.Client, c.wish.Scope)}
	}
	return nil
}

func (c Change) withoutSettings(doc edit.Document, r receipt) (err error) {
	settings, ok := doc.(*edit.JSON)
	if c.place.has.hooks && ok {
		for _, event := range events(c.Client, settings) {
			err = errors.Join(err, deleteHooks(settings, event))
		}
	}
	if c.place.has.grant && ok && r.Granted {
		err = errors.Join(err, deleteGrant(c.Client.Allow(), settings))
	}
	return err
}

// Revert makes a change that [Setter.Undo] gave. What was put back exactly needs its copies no more: they go with the
// receipt, and with the directories that were made.
func (s Setter) Revert(c Change) (d Done, err error) {
	switch {
	case c.Err != nil:
		return d, c.Err
	case c.Same():
		return d, s.forget(c.File)
	}
	if err := c.stillSo(); err != nil {
		return d, err
	}
	r, _ := s.receipt(c.File)
	if !c.Exact {
		if d.Backup, err = s.backup(c.File); err != nil {
			return d, err
		}
	}
	if c.Gone {
		if err = c.stillSo(); err == nil {
			err = os.Remove(c.File.Target)
		}
	} else {
		err = c.write()
	}
	if err != nil {
		return d, err
	}
	return d, errors.Join(s.forget(c.File), r.clear(c.Exact))
}

// clear removes what was made beside the file.
func (r receipt) clear(exact bool) (err error) {
	if exact {
		for _, name := range r.Backups {
			if removed := os.Remove(name); removed != nil && !errors.Is(removed, os.ErrNotExist) {
				err = errors.Join(err, removed)
			}
		}
	}
	for _, dir := range slices.Backward(r.Folders) {
		_ = os.Remove(dir) // it stays where others put something into it
	}
	return err
}
