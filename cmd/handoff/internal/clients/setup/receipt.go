package setup

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// Receipts gives the directory of the receipts on a machine. No workspace has such a name.
func Receipts(m client.Machine) string {
	state := m.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(m.Home, ".local", "state")
	}
	return filepath.Join(state, "handoff", ".setup")
}

// A receipt is what is needed to undo what was done to a file.
type receipt struct {
	Client  string       `json:"client"`
	Path    string       `json:"path"`
	Target  string       `json:"target,omitempty"` // the path without links, by which the receipt is found; older ones have none
	Scope   client.Scope `json:"scope,omitempty"`
	At      time.Time    `json:"at"`
	Missing bool         `json:"missing,omitempty"` // there was no file
	Before  []byte       `json:"before"`            // its text then, or without us if others wrote meanwhile
	Mode    fs.FileMode  `json:"mode"`
	After   string       `json:"after"`             // the SHA-256 of its text as we left it
	Made    []way        `json:"made,omitempty"`    // objects that are only there for us, outer ones first
	Folders []string     `json:"folders,omitempty"` // that were made, outer ones first
	Backups []string     `json:"backups,omitempty"`
	Granted bool         `json:"granted,omitempty"` // tools run without asking because of us
	Wished  wished       `json:"wished"`
}

// wished is what was wished when a file was changed.
type wished struct {
	Server client.Server `json:"server"`
	Call   client.Call   `json:"call"`
	Hooks  bool          `json:"hooks"`
}

func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// file is where the receipt of a file is kept. However the way to the file is spelled, its target is the same.
func (s Setter) file(target string) string {
	return filepath.Join(s.Dir, sum([]byte(target))[:16]+".json")
}

// target is what a receipt is found by.
func (r receipt) target() string { return cmp.Or(r.Target, r.Path) }

// receipt gives the receipt of a file, if it has one. Older ones are kept by the path of the file as it was spelled.
func (s Setter) receipt(f installed.File) (r receipt, ok bool) {
	for _, target := range []string{f.Target, f.Path} {
		if r, ok := s.read(s.file(target)); ok && r.target() == target {
			return r, true
		}
	}
	return receipt{}, false
}

func (s Setter) read(name string) (r receipt, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &r) != nil || name != s.file(r.target()) {
		return receipt{}, false
	}
	return r, true
}

// receipts walks over all that there are.
func (s Setter) receipts() iter.Seq[receipt] {
	return func(yield func(receipt) bool) {
		names, _ := filepath.Glob(filepath.Join(s.Dir, "*.json")) // the pattern is well formed
		for _, name := range names {
			if r, ok := s.read(name); ok && !yield(r) {
				return
			}
		}
	}
}

// AsBefore gives the wish with which a client was set up last in the scope of this one; this one if it never was. That
// is in the newest receipt: what is wished later may change some of the files only.
func (s Setter) AsBefore(c client.Client, w Wish) Wish {
	var last time.Time
	for _, p := range w.places(c) {
		r, ok := s.receipt(installed.File{Path: p.path, Target: installed.Resolved(p.path)})
		if ok && !r.At.Before(last) {
			last = r.At
			w.Server, w.Call, w.Hooks = r.Wished.Server, r.Wished.Call, r.Wished.Hooks
		}
	}
	return w
}

func (s Setter) write(r receipt) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	name := s.file(r.target())
	old, _ := os.Stat(name) // there may be none
	if err := replace(name, text, 0o600, old, nil); err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	return nil
}

// putBack gives a file the receipt that it had, or none.
func (s Setter) putBack(target string, before []byte) error {
	name := s.file(target)
	if before != nil {
		return replace(name, before, 0o600, nil, nil)
	}
	return removed(os.Remove(name))
}

// forget removes the receipt of a file.
func (s Setter) forget(f installed.File) error {
	return errors.Join(removed(os.Remove(s.file(f.Target))), removed(os.Remove(s.file(f.Path))))
}

// removed is the error of a removal, of which nothing to remove is none.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// inner gives the ways of a receipt, inner ones first.
func (r receipt) inner() []way {
	ways := slices.Clone(r.Made)
	slices.Reverse(ways)
	return ways
}
