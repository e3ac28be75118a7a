package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// ReceiptDir returns the directory of the receipts on a machine. No workspace can have the name of this directory.
func ReceiptDir(m client.Machine) string {
	return filepath.Join(workspace.StateDir(m.Getenv, m.Home), ".setup")
}

// A receipt holds the facts that undo needs about a changed file. Setup writes the receipt before it changes the file,
// and in one step, so that every change has a receipt. Each later change of the file replaces it. Another program may
// have written the receipt, so undo checks each path before it removes anything.
type receipt struct {
	Path     string    `json:"path"`
	Resolved string    `json:"target"` // without links; the name of the receipt comes from it
	At       time.Time `json:"at"`
	Version  string    `json:"version,omitempty"` // of the program that wrote it
	Missing  bool      `json:"missing,omitempty"` // there was no file
	Before   []byte    `json:"before"`            // the old text; without our parts if others wrote meanwhile
	After    string    `json:"after"`             // the SHA-256 of the new text
	Made     []keyPath `json:"made,omitempty"`    // objects that exist only for our parts, outer ones first
	Folders  []string  `json:"folders,omitempty"` // created by setup, outer ones first
	Backups  []string  `json:"backups,omitempty"`
	Granted  bool      `json:"granted,omitempty"` // tools run without asking because of us
	Options  Options   `json:"wished"`
}

func textDigest(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// receiptPath returns the path of a file's receipt. The path of the file must be without links, so that all paths of
// the file lead to one receipt.
func (s Installer) receiptPath(resolved string) string {
	return filepath.Join(s.Dir, textDigest([]byte(resolved))[:16]+".json")
}

// receiptOf returns the receipt of a file, if it has one.
func (s Installer) receiptOf(f installed.File) (receipt, bool) {
	return s.readReceipt(s.receiptPath(f.Resolved))
}

func (s Installer) readReceipt(name string) (r receipt, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &r) != nil || name != s.receiptPath(r.Resolved) {
		return receipt{}, false
	}
	return r, true
}

// LastDesired returns the setup that the last run of setup for the client wanted in this scope, or d if there was no
// run. It reads the newest receipt, because the last run may have changed only some of the client's files.
func (s Installer) LastDesired(c client.Client, d DesiredSetup) DesiredSetup {
	var last time.Time
	for _, t := range d.targetFiles(c) {
		r, ok := s.receiptOf(installed.File{Path: t.path, Resolved: installed.ResolveLinks(t.path)})
		if ok && !r.At.Before(last) {
			last = r.At
			d.Options = r.Options
		}
	}
	return d
}

func (s Installer) writeReceipt(r receipt) error {
	text, err := json.Marshal(r)
	if err == nil {
		name := s.receiptPath(r.Resolved)
		old, _ := os.Stat(name) // there may be none
		err = replaceFile(name, text, 0o600, old, nil)
	}
	if err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	return nil
}

// restoreReceipt restores the old receipt of a file, or removes the receipt if there was none.
func (s Installer) restoreReceipt(resolved string, before []byte) error {
	name := s.receiptPath(resolved)
	if before != nil {
		return replaceFile(name, before, 0o600, nil, nil)
	}
	return ignoreMissing(os.Remove(name))
}

// ignoreMissing turns the error of a removal into nil if the file was already missing.
func ignoreMissing(err error) error { return schemas.IgnoreError(fs.ErrNotExist, err) }

// createdBySetup reports whether setup made an object or a list. Without a receipt this is unknown, and made returns
// true.
func (r receipt) createdBySetup(path keyPath) bool {
	return r.Path == "" || slices.ContainsFunc(r.Made, func(made keyPath) bool { return slices.Equal(made, path) })
}

// recordChange writes the receipt of a change, before the change. As long as no program except setup changes the file,
// the receipt keeps the text from before the first setup.
func (s Installer) recordChange(c FileChange, folders []string, backup string) (err error) {
	r := receipt{
		Path: c.File.Path, Resolved: c.File.Resolved, Missing: c.File.Missing, Before: c.File.Text, Made: c.made,
		Folders: folders, Options: c.desired.Options,
		Granted: c.target.has(grant) && c.desired.Server.Trust && !c.hadPermission(),
	}
	if old, ok := s.receiptOf(c.File); ok {
		r.Made = append(old.Made, r.Made...)
		r.Granted = r.Granted || old.Granted && c.desired.Server.Trust
		r.Folders, r.Backups = slices.Concat(old.Folders, folders), old.Backups
		if old.After == textDigest(c.File.Text) {
			r.Missing, r.Before = old.Missing, old.Before
		} else {
			if r.Before, err = c.textWithoutParts(old); err != nil {
				return err
			}
		}
	}
	if backup != "" {
		r.Backups = append(r.Backups, backup)
	}
	r.At, r.Version, r.After = s.Now(), s.Version, textDigest(c.After)
	return s.writeReceipt(r)
}
