package setup

import (
	"bytes"
	"errors"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
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
	change.File, change.Err = w.changeable(p.path)
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
	if err := c.wish.unclear(c, doc, r); err != nil {
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

// StillThere tells of an undoing that what was there before setup has a server of our name, too.
func (c Change) StillThere() bool {
	_, there := errors.AsType[*Foreign](c.foreign(c.receipt))
	return c.Exact && !c.Gone && there
}

func (c Change) withoutSettings(doc edit.Document, r receipt) (err error) {
	settings, ok := doc.(*edit.JSON)
	if c.place.has.hooks && ok {
		ours := c.wish.oursIn(settings, c.Client, r)
		for _, event := range ours.events() {
			err = errors.Join(err, ours.delete(event))
		}
	}
	if c.place.has.grant && ok && r.Granted {
		err = errors.Join(err, deleteGrant(c.Client.Allow(), settings))
	}
	return err
}
