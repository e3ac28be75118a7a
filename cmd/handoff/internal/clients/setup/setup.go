// Package setup writes handoff into the configuration of the clients that agents run in, and takes it out again.
//
// It happens in two steps. [Setter.Plan] and [Setter.Undo] only read: they give a [Change] for each file, with its text
// before and after, or the reason to leave it alone. [Setter.Apply] and [Setter.Revert] then make one change, one process
// at a time: with the client's own command where it has one, of which only its entry is taken as long as it changed nothing
// else, or by writing the file. What was there before is kept in a receipt, so that it can be put back byte for byte as long as
// nobody else wrote the file since.
package setup

import (
	"bytes"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

// A Setter changes files and keeps receipts of it.
type Setter struct {
	Dir      string // of the receipts; made when it is needed
	Now      func() time.Time
	Slow     func(command []string) // is told of a client's command that takes more than two seconds; nil: nobody is
	Patience time.Duration          // how long a client's command may take; zero: 15 seconds
}

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
	File   installed.File
	After  []byte   // its text then
	Gone   bool     // it is removed
	Own    []string // the client's command that does it, with its path; nil: the file is written
	Exact  bool     // an undoing that puts back what was there before handoff

	// Recorded tells of an undoing that setup has a receipt of the file. Without one nothing tells what was there before.
	Recorded bool

	// Err says why the file is left alone.
	Err error

	// Unread says why the client was seen not to read such a file at all, ours or not.
	Unread error

	// Foreign says of a server that it stays: one that is not ours any more, of an undoing, or a [*Local] one.
	Foreign error

	wish    Wish
	place   place
	made    []way
	receipt receipt // of what was done to the file before; empty: nothing was
}

// Same tells whether there is nothing to do.
func (c Change) Same() bool {
	return c.Err == nil && !c.Gone && string(c.After) == string(c.File.Text)
}

// Find gives our entry in the list that setup writes; ok is false if there is none that leads anywhere.
func (w Wish) Find(c client.Client) (e installed.Entry, ok bool) {
	entries, _ := installed.Entries(c, w.Machine) // a file that cannot be read has none
	i := slices.IndexFunc(entries, func(e installed.Entry) bool {
		return e.Scope != installed.Local && e.Path == c.Servers.In(w.Scope, w.Machine)
	})
	if i < 0 {
		return e, false
	}
	return entries[i], len(entries[i].Command) > 0 || entries[i].URL != ""
}

// Plan gives the changes by which a client becomes what is wished, one for each of its files.
func (s Setter) Plan(c client.Client, w Wish) (all []Change) {
	if plugin, ok := w.plugin(c); ok {
		return []Change{{Client: c, wish: w, File: installed.File{Path: plugin.Path}, Err: &Plugged{plugin.Remove}}}
	}
	for _, p := range w.places(c) {
		all = append(all, s.planned(c, w, p).besides())
	}
	return all
}

// planned gives the change of one file.
func (s Setter) planned(c client.Client, w Wish, p place) Change {
	change := Change{Client: c, wish: w, place: p}
	if change.File, change.Err = w.changeable(p.path); change.Err != nil {
		return change
	}
	r, known := s.receipt(change.File)
	change.receipt = r
	var doc edit.Document
	if doc, change.Err = change.File.Document(p.syntax); change.Err != nil {
		return change
	}
	if change.Err = w.unclear(change, doc, r); change.Err != nil {
		return change
	}
	if settings, ok := doc.(*edit.JSON); ok && (p.has.server || w.Hooks) {
		change.Unread = settings.ReadAs(p.syntax)
	}
	before, lacked := doc.Bytes(), missing(c, p, doc)
	change.After = change.File.Text
	if change.Err = w.put(c, p, doc, r); change.Err != nil || bytes.Equal(doc.Bytes(), before) {
		return change
	}
	change.After = doc.Bytes()
	change.made = existing(lacked, doc)
	if p.has.server {
		change.Own = w.own(c, change.File, known)
	}
	return change
}
