package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// A target is a file with the parts that belong into it.
type target struct {
	path   string
	syntax client.Syntax
	parts  part
}

// A part is what of handoff belongs into a file, or several of these.
type part uint8

const (
	server part = 1 << iota
	hooks
	grant
)

func (t target) has(p part) bool { return t.parts&p != 0 }

// targets gives the files of a client in a scope, each once: some clients keep everything in one file.
func (d Desired) targets(c client.Client) (all []target) {
	add := func(files client.Files, p part) {
		path := files.In(d.Scope, d.Machine)
		i := slices.IndexFunc(all, func(t target) bool { return t.path == path })
		switch {
		case path == "":
		case i >= 0:
			all[i].parts |= p
		default:
			all = append(all, target{path, files.Syntax, p})
		}
	}
	add(c.Servers, server)
	if c.Hooks != nil {
		add(c.Hooks.Files, hooks)
	}
	if c.Allow != nil {
		add(c.Allow(client.ServerName).Files, grant)
	}
	return all
}
