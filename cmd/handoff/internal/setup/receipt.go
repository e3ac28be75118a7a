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
)

// A Setter changes files and keeps receipts of it.
type Setter struct {
	Dir string // of the receipts; made when it is needed
	Now func() time.Time
}

// A Receipt is what is needed to undo what was done to a file.
type Receipt struct {
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
	Wished  Wished       `json:"wished"`
}

// Wished is what was wished when a file was changed.
type Wished struct {
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
func (s Setter) receipt(f File) (r Receipt, ok bool) {
	text, err := os.ReadFile(s.file(f.Path))
	if err != nil || json.Unmarshal(text, &r) != nil || r.Path != f.Path {
		return Receipt{}, false
	}
	return r, true
}

// AsBefore gives the wish with which a client was set up last in the scope of this one; this one if it never was.
func (s Setter) AsBefore(c client.Client, w Wish) Wish {
	if r, ok := s.receipt(File{Path: c.Servers.In(w.Scope, w.Machine)}); ok {
		w.Server, w.Call, w.Hooks = r.Wished.Server, r.Wished.Call, r.Wished.Hooks
	}
	return w
}

// keep writes the receipt of a change that left a file with this text. As long as only we changed the file, what was
// there first stays what is put back.
func (s Setter) keep(c Change, after []byte, folders []string, backup string) (err error) {
	r := Receipt{
		Client: c.Client.Name, Path: c.File.Path, Scope: c.wish.Scope, Missing: c.File.Missing, Before: c.File.Text, Mode: c.File.Mode,
		Made: c.made, Folders: folders, Granted: c.place.has.grant && c.wish.Server.Trust && !c.granted(),
		Wished: Wished{c.wish.Server, c.wish.Call, c.wish.Hooks},
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

func (s Setter) write(r Receipt) error {
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
func (s Setter) forget(f File) error {
	if err := os.Remove(s.file(f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// inner gives the ways of a receipt, inner ones first.
func (r Receipt) inner() []way {
	ways := slices.Clone(r.Made)
	slices.Reverse(ways)
	return ways
}

// BackupName is how the copy of a file is called that is made before it is changed.
func BackupName(path string, at time.Time) string {
	return path + ".handoff-backup-" + at.UTC().Format("20060102-150405")
}
