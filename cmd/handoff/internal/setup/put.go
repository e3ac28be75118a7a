package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// A way leads to a value in a file.
type way []any

// put writes our parts into a file. It takes out those that are not wished, unless they may be somebody else's.
func (w Wish) put(c client.Client, p place, doc edit.Document, r Receipt) error {
	if p.has.server {
		if err := w.putServer(c, doc, r); err != nil {
			return err
		}
	}
	settings, ok := doc.(*edit.JSON)
	if p.has.hooks && ok {
		if err := w.putHooks(c, settings); err != nil {
			return err
		}
	}
	switch {
	case !p.has.grant || !ok:
		return nil
	case w.Server.Trust:
		return putGrant(c.Allow(), settings)
	case r.Granted:
		return deleteGrant(c.Allow(), settings)
	}
	return nil
}

// under is the way to the object in which a file lists servers.
func under(c client.Client, doc edit.Document) way {
	if c.Newer != nil {
		newer := wayOf(c.Newer)
		if v, ok := doc.Look(newer...); ok && isObject(v) && !isServer(v) {
			return newer
		}
	}
	return wayOf(c.Under)
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

// isServer tells a server that happens to have the name of a list.
func isServer(v any) bool { _, ok := v.(map[string]any)["type"].(string); return ok }

func wayOf(keys []string) (w way) {
	for _, k := range keys {
		w = append(w, k)
	}
	return w
}

func (w way) to(steps ...any) way { return append(slices.Clone(w), steps...) }

func putGrant(g *client.Grant, doc *edit.JSON) error {
	list, _ := doc.Look(wayOf(g.Keys)...)
	if texts, ok := list.([]any); ok && slices.Contains(texts, any(g.Text)) {
		return nil
	}
	return doc.Append(g.Text, wayOf(g.Keys)...)
}

// granted tells whether somebody let the tools run before we did.
func (c Change) granted() bool {
	doc, err := edit.Open(c.place.syntax, c.File.Text)
	if err != nil {
		return false
	}
	list, _ := doc.Look(wayOf(c.Client.Allow().Keys)...)
	texts, _ := list.([]any)
	return slices.Contains(texts, any(c.Client.Allow().Text))
}

func deleteGrant(g *client.Grant, doc *edit.JSON) error {
	list, _ := doc.Look(wayOf(g.Keys)...)
	texts, _ := list.([]any)
	if i := slices.Index(texts, any(g.Text)); i >= 0 {
		return doc.Delete(wayOf(g.Keys).to(i)...)
	}
	return nil
}

// lacking gives the ways of objects that a file would need and does not have, outer ones first.
func lacking(c client.Client, p place, doc edit.Document) (ways []way) {
	need := func(w way) {
		for n := range w {
			if _, ok := doc.Look(w[:n+1]...); !ok {
				ways = append(ways, w[:n+1])
			}
		}
	}
	if p.has.server {
		need(under(c, doc))
	}
	if p.has.hooks {
		for _, h := range c.Hooks.On {
			need(way{hooksKey, h.At})
		}
	}
	if p.has.grant {
		need(wayOf(c.Allow().Keys))
	}
	return ways
}

// there gives those of ways that lead to something.
func there(ways []way, doc edit.Document) (made []way) {
	for _, w := range ways {
		if _, ok := doc.Look(w...); ok {
			made = append(made, w)
		}
	}
	return made
}
