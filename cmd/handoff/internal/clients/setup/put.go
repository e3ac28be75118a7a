package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// put writes our parts into a file. It takes out those that are not desired, unless they may be somebody else's.
func (d Desired) put(c client.Client, t target, doc edit.Document, r receipt) error {
	if t.has.server {
		if err := d.putServer(c, doc, r); err != nil {
			return err
		}
	}
	settings, ok := doc.(*edit.JSON)
	if t.has.hooks && ok {
		ours, err := d.oursIn(settings, c, r)
		if err == nil {
			err = ours.put(d)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !t.has.grant || !ok:
		return nil
	case d.Server.Trust:
		return putGrant(c.Allow(), settings)
	case r.Granted:
		return deleteGrant(c.Allow(), settings)
	}
	return nil
}

// granted gives the index of a grant in its list; -1 if it is not there.
func granted(g *client.Grant, doc edit.Document) int {
	list, _ := doc.Look(pathOf(g.Keys)...)
	texts, _ := list.([]any)
	return slices.Index(texts, any(g.Text))
}

func putGrant(g *client.Grant, doc *edit.JSON) error {
	if granted(g, doc) >= 0 {
		return nil
	}
	return doc.Append(g.Text, pathOf(g.Keys)...)
}

func deleteGrant(g *client.Grant, doc *edit.JSON) error {
	i := granted(g, doc)
	if i < 0 {
		return nil
	}
	return doc.Delete(pathOf(g.Keys).to(i)...)
}

// granted tells whether the tools ran without asking before the change.
func (c Change) granted() bool {
	doc, err := c.File.Document(c.target.syntax)
	return err == nil && granted(c.Client.Allow(), doc) >= 0
}
