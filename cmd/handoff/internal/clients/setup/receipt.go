package setup

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
)

// ReceiptDir returns the directory of the receipts on a machine. It lies among the directories of the workspaces. No
// workspace can have its name, because the name begins with a dot.
func ReceiptDir(m client.Machine) string {
	return filepath.Join(workspace.StateDir(m.Getenv, m.Home), ".setup")
}

// A receipt holds the facts about a changed file that undo needs. Setup writes the receipt before the file, so that
// every change has a receipt. A later change replaces the receipt. Undo checks each path in a receipt before it removes
// a file, because another program may have written the receipt.
type receipt struct {
	Path     string    `json:"path"`
	Resolved string    `json:"target"` // without links; the name of the receipt comes from it
	At       time.Time `json:"at"`
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
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// receiptPath returns the path of a file's receipt. Resolved is the file's path without links, so that a file has only
// one receipt.
func (s Installer) receiptPath(resolved string) string {
	return filepath.Join(s.Dir, textDigest([]byte(resolved))[:16]+".json")
}

// readReceipt returns the receipt of a file. It is empty if the file has none, or if the receipt makes no sense.
func (s Installer) readReceipt(resolved string) (r receipt, err error) {
	text, err := os.ReadFile(s.receiptPath(resolved))
	if err = ignoreMissing(err); err != nil {
		return r, fmt.Errorf("read the receipt: %w", err)
	}
	if json.Unmarshal(text, &r) != nil || r.Resolved != resolved {
		r = receipt{}
	}
	return r, nil
}

// isEmpty reports whether there is no receipt.
func (r receipt) isEmpty() bool { return r.Path == "" }

// WithLastOptions returns d with the options of the client's last setup in this scope. It returns d unchanged if setup
// never ran. The options come from the newest receipt, because the last setup may have changed only some files.
func (s Installer) WithLastOptions(c client.Client, d DesiredSetup) DesiredSetup {
	var last time.Time
	for _, t := range d.targetFiles(c) {
		r, err := s.readReceipt(platform.ResolveLinks(t.path))
		if err == nil && !r.isEmpty() && !r.At.Before(last) {
			last, d.Options = r.At, r.Options
		}
	}
	return d
}

func (s Installer) writeReceipt(r receipt) error {
	text, _ := json.Marshal(r) // texts can be encoded
	if err := platform.ReplaceFile(s.receiptPath(r.Resolved), ".handoff-*", text, (*os.File).Sync); err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	return nil
}

// restoreReceipt puts back the receipt that the file had before the change. If there was none, it removes the new one.
func (s Installer) restoreReceipt(c FileChange) error {
	if !c.receipt.isEmpty() {
		return s.writeReceipt(c.receipt)
	}
	return os.Remove(s.receiptPath(c.File.Resolved))
}

// ignoreMissing returns nil if err says that a file does not exist, and err otherwise.
func ignoreMissing(err error) error { return schemas.IgnoreError(fs.ErrNotExist, err) }

// createdBySetup reports whether setup created the object or list at a path. Without a receipt the answer is unknown,
// and createdBySetup returns true.
func (r receipt) createdBySetup(path keyPath) bool {
	return r.isEmpty() || slices.ContainsFunc(r.Made, func(made keyPath) bool { return slices.Equal(made, path) })
}

// recordChange writes the receipt of a change, before the change. If only setup has changed the file so far, the
// receipt keeps the text from before the first setup.
func (s Installer) recordChange(c FileChange, folders []string, backup string) (err error) {
	r := receipt{
		Path: c.File.Path, Resolved: c.File.Resolved, Missing: c.File.Missing, Before: c.File.Text, Made: c.made,
		Folders: folders, Options: c.desired.Options,
		Granted: c.target.grant && c.desired.Server.Trust && !c.permitted,
	}
	if old := c.receipt; !old.isEmpty() {
		r.Made = append(old.Made, r.Made...)
		r.Granted = r.Granted || old.Granted && c.desired.Server.Trust
		r.Folders, r.Backups = slices.Concat(old.Folders, folders), old.Backups
		if old.After == textDigest(c.File.Text) {
			r.Missing, r.Before = old.Missing, old.Before
		} else if r.Before, _, err = c.textWithoutParts(); err != nil {
			return err
		}
	}
	if backup != "" {
		r.Backups = append(r.Backups, backup)
	}
	r.At, r.After = s.Now(), textDigest(c.After)
	return s.writeReceipt(r)
}
