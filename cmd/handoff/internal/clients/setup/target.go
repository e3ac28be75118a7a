package setup

import (
	"iter"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// A target is a file with the parts that belong into it.
type target struct {
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
			(c.Allow == nil || yield(c.Allow(client.ServerName).Files, part{grant: true}))
	}
}

// targets gives the files of a client in a scope, each once: some clients keep everything in one file.
func (d Desired) targets(c client.Client) (all []target) {
	for files, has := range parts(c) {
		path := files.In(d.Scope, d.Machine)
		i := slices.IndexFunc(all, func(t target) bool { return t.path == path })
		switch {
		case path == "":
		case i >= 0:
			all[i].has = all[i].has.with(has)
		default:
			all = append(all, target{path, files.Syntax, has})
		}
	}
	return all
}
