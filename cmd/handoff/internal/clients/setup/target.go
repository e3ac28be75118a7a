package setup

import (
	"iter"
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
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
			(c.Allow == nil || yield(c.Allow().Files, part{grant: true}))
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

// elsewhere gives the files of a user's client that setup changed where the client does not look now: the variable
// that says where had another value then.
func (s Setter) elsewhere(c client.Client, d Desired) (all []target) {
	for r := range s.receipts() {
		if r.Client != c.Name || r.Scope != client.User || d.Scope != client.User {
			continue
		}
		is := func(t target) bool { return installed.Resolved(t.path) == installed.Resolved(r.Path) }
		if slices.ContainsFunc(append(d.targets(c), all...), is) {
			continue
		}
		if t, ok := targetOf(c, r.Path); ok {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { // in the order of targets
		switch {
		case a.has.server == b.has.server:
			return 0
		case a.has.server:
			return -1
		}
		return 1
	})
	return all
}

// targetOf tells by the name of a file what a client keeps in it.
func targetOf(c client.Client, path string) (t target, ok bool) {
	t.path = path
	for files, has := range parts(c) {
		named := func(at client.Path) bool { return filepath.Base(string(at)) == filepath.Base(path) }
		if slices.ContainsFunc(files.User, named) {
			t.syntax, t.has, ok = files.Syntax, t.has.with(has), true
		}
	}
	return t, ok
}
