package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

// A way leads to a value in a file.
type way []any

func wayOf(keys []string) (w way) {
	for _, k := range keys {
		w = append(w, k)
	}
	return w
}

func (w way) to(steps ...any) way { return append(slices.Clone(w), steps...) }

// server is the way to our server in a file.
func server(c client.Client, doc edit.Document) way {
	return append(installed.Under(c, doc), client.ServerName)
}

// missing gives the ways of objects that our parts of a file need and that it does not have, outer ones first.
func missing(c client.Client, p place, doc edit.Document) (ways []way) {
	need := func(w way) {
		for n := range w {
			if _, ok := doc.Look(w[:n+1]...); !ok {
				ways = append(ways, w[:n+1])
			}
		}
	}
	if p.has.server {
		need(installed.Under(c, doc))
	}
	if p.has.hooks {
		for _, h := range c.Hooks.On {
			need(way{installed.HooksKey, h.At})
		}
	}
	if p.has.grant {
		need(wayOf(c.Allow().Keys))
	}
	return ways
}

// existing gives those of ways that lead to something.
func existing(ways []way, doc edit.Document) (made []way) {
	for _, w := range ways {
		if _, ok := doc.Look(w...); ok {
			made = append(made, w)
		}
	}
	return made
}
