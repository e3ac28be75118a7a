package setup

import (
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// elsewhere gives the files of a user's client that were set up where it does not look now, as its variable had another
// value then.
func (s Setter) elsewhere(c client.Client, w Wish) (all []place) {
	for r := range s.receipts() {
		is := func(p place) bool { return installed.Resolved(p.path) == installed.Resolved(r.Path) }
		if r.Client != c.Name || r.Scope != client.User || w.Scope != client.User || slices.ContainsFunc(append(w.places(c), all...), is) {
			continue
		}
		if p, ok := placeOf(c, r.Path); ok {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { // as places has them
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

// placeOf tells by its name what of a client a file is.
func placeOf(c client.Client, path string) (p place, ok bool) {
	p.path = path
	for files, has := range parts(c) {
		named := func(at client.Path) bool { return filepath.Base(string(at)) == filepath.Base(path) }
		if slices.ContainsFunc(files.User, named) {
			p.syntax, p.has, ok = files.Syntax, p.has.with(has), true
		}
	}
	return p, ok
}
