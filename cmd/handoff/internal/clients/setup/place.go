package setup

import (
	"iter"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// A place is a file with the parts that belong into it.
type place struct {
	path   string
	syntax client.Syntax
	has    part
}

// A part is what of handoff belongs into one file.
type part struct{ server, hooks, grant bool }

func (p part) with(q part) part {
	return part{p.server || q.server, p.hooks || q.hooks, p.grant || q.grant}
}

// parts gives the files of a client, each with what belongs into it. The same file may come more than once.
func parts(c client.Client) iter.Seq2[client.Files, part] {
	return func(yield func(client.Files, part) bool) {
		_ = yield(c.Servers, part{server: true}) &&
			(c.Hooks == nil || yield(c.Hooks.Files, part{hooks: true})) &&
			(c.Allow == nil || yield(c.Allow().Files, part{grant: true}))
	}
}

// places gives the files of a client in a scope, each once: some keep everything in one.
func (w Wish) places(c client.Client) (all []place) {
	for files, has := range parts(c) {
		path := files.In(w.Scope, w.Machine)
		i := slices.IndexFunc(all, func(p place) bool { return p.path == path })
		switch {
		case path == "":
		case i >= 0:
			all[i].has = all[i].has.with(has)
		default:
			all = append(all, place{path, files.Syntax, has})
		}
	}
	return all
}
