package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
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
	Scope   client.Scope `json:"scope,omitempty"`
	At      time.Time    `json:"at"`
	Missing bool         `json:"missing,omitempty"` // there was no file
	Before  []byte       `json:"before"`            // its text without us
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

func (s Setter) file(path string) string {
	return filepath.Join(s.Dir, sum([]byte(path))[:16]+".json")
}

// receipt gives the receipt of a file, if it has one.
func (s Setter) receipt(f installed.File) (r receipt, ok bool) {
	text, err := os.ReadFile(s.file(f.Path))
	if err != nil || json.Unmarshal(text, &r) != nil || r.Path != f.Path {
		return receipt{}, false
	}
	return r, true
}

// AsBefore gives the wish with which a client was set up last in the scope of this one; this one if it never was.
func (s Setter) AsBefore(c client.Client, w Wish) Wish {
	if r, ok := s.receipt(installed.File{Path: c.Servers.In(w.Scope, w.Machine)}); ok {
		w.Server, w.Call, w.Hooks = r.Wished.Server, r.Wished.Call, r.Wished.Hooks
	}
	return w
}

// keep writes the receipt of a change that left a file with this text. As long as only we changed the file, what was
// there first stays what is put back.
func (s Setter) keep(c Change, after []byte, folders []string, backup string) (err error) {
	r := receipt{
		Client: c.Client.Name, Path: c.File.Path, Scope: c.wish.Scope, Missing: c.File.Missing, Before: c.File.Text, Mode: c.File.Mode,
		Made: c.made, Folders: folders, Granted: c.place.has.grant && c.wish.Server.Trust && !c.granted(),
		Wished: wished{c.wish.Server, c.wish.Call, c.wish.Hooks},
	}
	if old, ok := s.receipt(c.File); ok {
		r.Made = append(old.Made, r.Made...)
		r.Granted = r.Granted || old.Granted && c.wish.Server.Trust
		r.Folders, r.Backups = append(old.Folders, folders...), old.Backups
		r.Missing, r.Before, r.Mode = old.Missing, old.Before, old.Mode
		if old.After != sum(c.File.Text) {
			r.Missing, r.Mode = c.File.Missing, c.File.Mode
			if r.Before, err = c.without(old); err != nil {
				return err
			}
		}
	}
	if backup != "" {
		r.Backups = append(r.Backups, backup)
	}
	r.At, r.After = s.Now(), sum(after)
	return s.write(r)
}

func (s Setter) write(r receipt) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	if err := replace(s.file(r.Path), text, 0o600, nil); err != nil {
		return fmt.Errorf("keep a receipt: %w", err)
	}
	return nil
}

// forget removes the receipt of a file.
func (s Setter) forget(f installed.File) error {
	if err := os.Remove(s.file(f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// inner gives the ways of a receipt, inner ones first.
func (r receipt) inner() []way {
	ways := slices.Clone(r.Made)
	slices.Reverse(ways)
	return ways
}
