package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// granted gives the place of a grant in its list; -1 if it is not there.
func granted(g *client.Grant, doc edit.Document) int {
	list, _ := doc.Look(wayOf(g.Keys)...)
	texts, _ := list.([]any)
	return slices.Index(texts, any(g.Text))
}

func putGrant(g *client.Grant, doc *edit.JSON) error {
	if granted(g, doc) >= 0 {
		return nil
	}
	return doc.Append(g.Text, wayOf(g.Keys)...)
}

func deleteGrant(g *client.Grant, doc *edit.JSON) error {
	i := granted(g, doc)
	if i < 0 {
		return nil
	}
	return doc.Delete(wayOf(g.Keys).to(i)...)
}

// granted tells whether the tools ran without asking before the change.
func (c Change) granted() bool {
	doc, err := c.File.Document(c.place.syntax)
	return err == nil && granted(c.Client.Allow(), doc) >= 0
}
