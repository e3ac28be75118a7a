// Package setup writes handoff into the configuration of the clients that agents run in, and takes it out again.
//
// It happens in two steps. [Plan] and [Undo] only read: they give a [Change] for each file, with its text before and
// after, or the reason to leave it alone. [Setter.Apply] then makes one change: with the client's own command where it
// has one, else by writing the file. What was there before is kept in a receipt, so that it can be put back byte for
// byte as long as nobody else wrote the file since.
package setup

import (
	"bytes"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// A Wish is what somebody wants of clients.
type Wish struct {
	Machine client.Machine
	Scope   client.Scope
	Server  client.Server
	Call    client.Call // how hooks run handoff
	Hooks   bool        // with hooks, where a client has them
}

// A Change is what is to be done to one file of a client.
type Change struct {
	Client client.Client
	File   File
	After  []byte   // its text then
	Gone   bool     // it is removed
	Own    []string // the client's command that does it, with its path; nil: the file is written
	Exact  bool     // an undoing that puts back what was there before handoff

	// Err says why the file is left alone.
	Err error

	// Unread says why the client was seen not to read such a file at all, ours or not.
	Unread error

	// Foreign says of an undoing that the server stays, as it is not ours any more.
	Foreign error

	wish    Wish
	place   place
	made    []way
	receipt Receipt // of what was done to the file before; empty: nothing was
}

// Same tells whether there is nothing to do.
func (c Change) Same() bool {
	return c.Err == nil && !c.Gone && string(c.After) == string(c.File.Text)
}

// A part is what of handoff belongs into one file.
type part struct{ server, hooks, grant bool }

// Plan gives the changes by which a client becomes what is wished, one for each of its files.
func (s Setter) Plan(c client.Client, w Wish) (all []Change) {
	for _, p := range w.places(c) {
		all = append(all, s.planned(c, w, p))
	}
	return all
}

// A place is a file with the parts that belong into it.
type place struct {
	path   string
	syntax client.Syntax
	has    part
}

// places gives the files of a client. Some keep everything in one.
func (w Wish) places(c client.Client) (all []place) {
	add := func(files client.Files, has part) {
		path := files.In(w.Scope, w.Machine)
		if path == "" {
			return
		}
		for i := range all {
			if all[i].path == path {
				all[i].has = all[i].has.with(has)
				return
			}
		}
		all = append(all, place{path, files.Syntax, has})
	}
	add(c.Servers, part{server: true})
	if c.Hooks != nil {
		add(c.Hooks.Files, part{hooks: true})
	}
	if c.Allow != nil {
		add(c.Allow().Files, part{grant: true})
	}
	return all
}

func (p part) with(q part) part {
	return part{p.server || q.server, p.hooks || q.hooks, p.grant || q.grant}
}

// planned gives the change of one file.
func (s Setter) planned(c client.Client, w Wish, p place) Change {
	change := Change{Client: c, wish: w, place: p}
	change.File, change.Err = Read(p.path)
	if change.Err != nil {
		return change
	}
	r, known := s.receipt(change.File)
	change.receipt = r
	var doc edit.Document
	if doc, change.Err = edit.Open(p.syntax, change.File.Text); change.Err != nil {
		change.Err = &Broken{change.Err}
		return change
	}
	if settings, ok := doc.(*edit.JSON); ok && (p.has.server || w.Hooks) {
		change.Unread = settings.ReadAs(p.syntax)
	}
	before, lacking := doc.Bytes(), lacking(c, p, doc)
	change.After = change.File.Text
	if change.Err = w.put(c, p, doc, r); change.Err != nil || bytes.Equal(doc.Bytes(), before) {
		return change
	}
	change.After = doc.Bytes()
	change.made = there(lacking, doc)
	if p.has.server {
		change.Own = w.own(c, change.File, known)
	}
	return change
}
