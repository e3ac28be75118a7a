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

// Receipts gives the directory of the receipts on a machine. No workspace has such a name.
func Receipts(m client.Machine) string {
	return filepath.Join(workspace.StateDir(m.Getenv, m.Home), ".setup")
}

// A receipt is what is needed to undo what was done to a file. It is written before the file is changed, and as a
// whole, so that there is no change without one. Each later change of the file writes it anew. Others may have
// written it: what it names is looked at before it is removed.
type receipt struct {
	Path     string    `json:"path"`
	Resolved string    `json:"target"` // without links: by it the receipt is found
	At       time.Time `json:"at"`
	Version  string    `json:"version,omitempty"` // of the program that wrote it
	Missing  bool      `json:"missing,omitempty"` // there was no file
	Before   []byte    `json:"before"`            // its text then, or without us if others wrote meanwhile
	After    string    `json:"after"`             // the SHA-256 of its text as we left it
	Made     []keyPath `json:"made,omitempty"`    // objects that are only there for us, outer ones first
	Folders  []string  `json:"folders,omitempty"` // that were made, outer ones first
	Backups  []string  `json:"backups,omitempty"`
	Granted  bool      `json:"granted,omitempty"` // tools run without asking because of us
	Told     Told      `json:"wished"`
}

func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// file gives the path of the receipt of a file, whose own path is without links: then it is the same however it is
// spelled.
func (s Setter) file(resolved string) string {
	return filepath.Join(s.Dir, sum([]byte(resolved))[:16]+".json")
}

// receipt gives the receipt of a file, if it has one.
func (s Setter) receipt(f installed.File) (receipt, bool) { return s.read(s.file(f.Resolved)) }

func (s Setter) read(name string) (r receipt, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &r) != nil || name != s.file(r.Resolved) {
		return receipt{}, false
	}
	return r, true
}

// AsBefore gives what was desired when the client was set up last in this scope; d itself if it never was. The newest
// receipt says that, as a later setup may have changed some of the files only.
func (s Setter) AsBefore(c client.Client, d Desired) Desired {
	var last time.Time
	for _, t := range d.targets(c) {
		r, ok := s.receipt(installed.File{Path: t.path, Resolved: installed.Resolved(t.path)})
		if ok && !r.At.Before(last) {
			last = r.At
			d.Told = r.Told
		}
	}
	return d
}

func (s Setter) write(r receipt) error {
	text, err := json.Marshal(r)
	if err == nil {
		name := s.file(r.Resolved)
		old, _ := os.Stat(name) // there may be none
		err = replace(name, text, 0o600, old, nil)
	}
	if err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	return nil
}

// putBack gives a file the receipt that it had, or none.
func (s Setter) putBack(resolved string, before []byte) error {
	name := s.file(resolved)
	if before != nil {
		return replace(name, before, 0o600, nil, nil)
	}
	return removed(os.Remove(name))
}

// removed is the error of a removal, of which nothing to remove is none.
func removed(err error) error { return schemas.IgnoreError(fs.ErrNotExist, err) }

// made tells whether setup made an object or a list. Without a receipt it may have.
func (r receipt) made(path keyPath) bool {
	return r.Path == "" || slices.ContainsFunc(r.Made, func(made keyPath) bool { return slices.Equal(made, path) })
}

// keep writes the receipt of a change before it is made. As long as only we changed the file, what was
// there first stays what is put back.
func (s Setter) keep(c Change, folders []string, backup string) (err error) {
	r := receipt{
		Path: c.File.Path, Resolved: c.File.Resolved, Missing: c.File.Missing, Before: c.File.Text, Made: c.made,
		Folders: folders, Told: c.desired.Told,
		Granted: c.target.has(grant) && c.desired.Server.Trust && !c.granted(),
	}
	if old, ok := s.receipt(c.File); ok {
		r.Made = append(old.Made, r.Made...)
		r.Granted = r.Granted || old.Granted && c.desired.Server.Trust
		r.Folders, r.Backups = slices.Concat(old.Folders, folders), old.Backups
		if old.After == sum(c.File.Text) {
			r.Missing, r.Before = old.Missing, old.Before
		} else {
			if r.Before, err = c.without(old); err != nil {
				return err
			}
		}
	}
	if backup != "" {
		r.Backups = append(r.Backups, backup)
	}
	r.At, r.Version, r.After = s.Now(), s.Version, sum(c.After)
	return s.write(r)
}
