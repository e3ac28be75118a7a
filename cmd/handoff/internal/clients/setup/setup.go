// Package setup writes handoff into the configuration files of clients, and removes it again.
//
// [Installer.PlanSetup] and [Installer.PlanUndo] only read. They return a [FileChange] for each file: its old and its
// new text, or the reason why setup must not change the file. [Installer.Apply] and [Installer.ApplyUndo] then make one
// change. A lock allows one process at a time.
//
// A receipt stores the old text of each changed file. Undo restores the old text byte for byte, unless another program
// has changed the file since.
package setup

import (
	"bytes"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// An Installer changes files and keeps receipts of its changes.
type Installer struct {
	Dir string // of the receipts; made when it is needed
	Now func() time.Time
}

// DesiredSetup is the setup that a person wants for a client: the options, and the machine and scope for which they
// hold.
type DesiredSetup struct {
	Options

	Machine client.Machine
	Scope   client.Scope
}

// Options holds the options of setup for a client. The receipt stores them for the next setup.
type Options struct {
	Server client.Server   `json:"server"`
	Call   client.HookCall `json:"call"`  // how hooks run handoff
	Hooks  bool            `json:"hooks"` // with hooks, where a client has them
}

// A FileChange is the planned change of one file of a client.
type FileChange struct {
	Client client.Client
	File   installed.ConfigFile
	After  []byte // the new text
	Gone   bool   // the change removes the file
	Exact  bool   // undo restores the text from before handoff
	Plugin bool   // the file is left alone, because the client has our plugin

	// Err says why the file is left alone. It may be a [*schemas.Error] with a hint for a person.
	Err error

	// Unread says why the client reads nothing of the file.
	Unread error

	// Foreign is set if undo leaves a server in the file: a server of another author with our name, or handoff, which a
	// person added to the client for this project alone.
	Foreign error

	desired   DesiredSetup
	target    targetFile
	made      []keyPath
	permitted bool    // the tools ran without asking before the change
	receipt   receipt // of the last change of the file; empty: there was none
}

// IsUnchanged reports whether the change has nothing to write.
func (c FileChange) IsUnchanged() bool {
	return c.Err == nil && !c.Gone && string(c.After) == string(c.File.Text)
}

// IsRecorded reports whether setup has a receipt for the file. Otherwise the text before setup is unknown.
func (c FileChange) IsRecorded() bool { return !c.receipt.isEmpty() }

// PartNames returns the names of the parts of handoff that the change writes or removes: "server", "hooks" and
// "permission".
func (c FileChange) PartNames() (names []string) {
	if c.target.server {
		names = append(names, "server")
	}
	if c.target.hooks && (c.desired.Hooks || c.receipt.Options.Hooks) {
		names = append(names, "hooks")
	}
	if c.target.grant && (c.desired.Server.Trust || c.receipt.Granted) {
		names = append(names, "permission")
	}
	return names
}

// FindEntry returns our entry in the list of servers for this scope. Ok is false if there is no entry, or if the entry
// has neither a program nor an address.
func (d DesiredSetup) FindEntry(c client.Client) (_ installed.ServerEntry, ok bool) {
	entries, _ := installed.ServerEntries(c, d.Machine) // a file that cannot be read has none
	for _, e := range entries {
		if e.Scope != installed.Local && e.Path == c.Servers.PathFor(d.Scope, d.Machine) {
			return e, len(e.Command) > 0 || e.URL != ""
		}
	}
	return installed.ServerEntry{}, false
}

// PresentParts reports whether the client's files for this scope contain the server and the hooks of handoff.
func (d DesiredSetup) PresentParts(c client.Client) (server, hooks bool) {
	_, server = d.FindEntry(c)
	if c.Hooks != nil {
		files, _ := installed.HookFiles(c, d.Machine, d.Call.Program)
		hooks = slices.ContainsFunc(files, func(f client.HookFile) bool { return f.Path == c.Hooks.PathFor(d.Scope, d.Machine) })
	}
	return server, hooks
}

// PlanSetup returns the changes that give a client the desired setup, one for each of its files. It changes no file. If
// the client has our plugin, it returns one change with this error.
func (s Installer) PlanSetup(c client.Client, d DesiredSetup) []FileChange {
	if plugin, ok := d.enabledPlugin(c); ok {
		file := installed.ConfigFile{Path: plugin.Path}
		return []FileChange{{Client: c, desired: d, File: file, Plugin: true, Err: newPluginError(c, plugin)}}
	}
	return schemas.Map(d.targetFiles(c), func(t targetFile) FileChange { return s.planFile(c, d, t) })
}

// newChange reads a file and returns a change that leaves its text unchanged.
func (s Installer) newChange(c client.Client, d DesiredSetup, t targetFile) FileChange {
	change := FileChange{Client: c, desired: d, target: t}
	change.File, change.Err = d.readChangeable(t.path)
	if change.After = change.File.Text; change.Err == nil {
		change.receipt, change.Err = s.readReceipt(change.File.Resolved)
	}
	return change
}

// planFile returns the change of one file.
func (s Installer) planFile(c client.Client, d DesiredSetup, t targetFile) FileChange {
	change := s.newChange(c, d, t)
	if change.Err == nil && d.Server.TokenEnv != "" && !c.ReadsTokenVariable() {
		change.Err = leftAlone(c.Title+" cannot read the token from a variable, and handoff writes no token into a file",
			"Start the server of this machine instead, without --http.")
	}
	if change.Err != nil {
		return change
	}
	var doc edit.Document
	if doc, change.Err = change.File.ParseDocument(t.syntax); change.Err != nil {
		return change
	}
	if settings, ok := doc.(*edit.JSON); ok && (t.server || d.Hooks) {
		change.Unread = settings.CheckSyntax(t.syntax)
	}
	if t.grant {
		_, i := d.findPermission(c, doc)
		change.permitted = i >= 0
	}
	before, lacked := doc.Bytes(), missingObjects(c, t, doc)
	if change.Err = d.putParts(c, t, doc, change.receipt); change.Err != nil || bytes.Equal(doc.Bytes(), before) {
		return change
	}
	change.After = doc.Bytes()
	change.made = slices.DeleteFunc(lacked, func(p keyPath) bool { _, there := doc.Lookup(p...); return !there })
	return change
}
