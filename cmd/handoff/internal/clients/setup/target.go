package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
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

// A keyPath leads to a value in a file: keys of objects, and numbers of elements of lists.
type keyPath []any

func (p keyPath) to(steps ...any) keyPath { return append(slices.Clone(p), steps...) }

// serverPath is the path to our server in a file.
func serverPath(c client.Client, doc edit.Document) keyPath {
	return append(installed.Under(c, doc), installed.Name(c, doc))
}

// missing gives the paths of objects that our parts of a file need and that it does not have, outer ones first.
func missing(c client.Client, t target, doc edit.Document) (paths []keyPath) {
	need := func(p keyPath) {
		for n := range p {
			if _, ok := doc.Look(p[:n+1]...); !ok {
				paths = append(paths, p[:n+1])
			}
		}
	}
	if t.has(server) {
		need(installed.Under(c, doc))
	}
	if t.has(hooks) {
		for _, h := range c.Hooks.On {
			need(keyPath{installed.HooksKey, h.At})
		}
	}
	if t.has(grant) {
		need(c.Allow(client.ServerName).Keys)
	}
	return paths
}
