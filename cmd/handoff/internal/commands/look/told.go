package look

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/platform"
)

// toldNeeds remembers in a directory of which things a command was told, so that it is told of each once, also when the
// process that runs it is killed. One process at a time has it.
//
// Before a command runs, its thing and the name of a claim are written down. The shell of the command makes the file of
// that name, and only then runs the command. The next process makes the file itself: where it can, the command has not
// begun and never will; where the file is there, it has begun, and that counts as told. On Windows the process makes
// the file, so a command that it could not start any more was not told.
type toldNeeds struct {
	dir  string
	lock *os.File
	kept struct {
		Told  []string `json:"told"`
		Next  string   `json:"next,omitempty"` // whose command may have begun
		Claim string   `json:"claim,omitempty"`
	}
}

// openTold opens what was told. The error is [platform.ErrLocked] while another process has it.
func openTold(dir string) (*toldNeeds, error) {
	lock, err := os.OpenFile(filepath.Join(dir, workspace.ToldFile+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	t := &toldNeeds{dir: dir, lock: lock}
	if err = platform.TryLock(lock); err == nil {
		err = t.recover()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return t, nil
}

// Close lets another process have it.
func (t *toldNeeds) Close() error { return t.lock.Close() }

// knows reports whether a command was told of a thing.
func (t *toldNeeds) knows(key string) bool { return slices.Contains(t.kept.Told, key) }

// add notes that a command was told of a thing.
func (t *toldNeeds) add(key string) error {
	t.kept.Told = append(t.kept.Told, key)
	return t.save()
}

// keep forgets all things but these.
func (t *toldNeeds) keep(keys []string) error {
	before := len(t.kept.Told)
	t.kept.Told = slices.DeleteFunc(t.kept.Told, func(key string) bool { return !slices.Contains(keys, key) })
	if len(t.kept.Told) == before {
		return nil
	}
	return t.save()
}

// tell runs a command for a thing, and notes that it was told unless the command fails.
func (t *toldNeeds) tell(ctx context.Context, c needCommand, key string, environ []string, input []byte) error {
	t.kept.Next, t.kept.Claim = key, rand.Text()
	if err := t.save(); err != nil {
		return err
	}
	claim := t.claim()
	if runtime.GOOS == "windows" {
		if err := os.WriteFile(claim, nil, 0o600); err != nil {
			return err
		}
	} else {
		environ = append(slices.Clip(environ), "HANDOFF_NEED_CLAIM="+claim)
		c.Line = `( set -C; : >"$HANDOFF_NEED_CLAIM" ) || exit 75; unset HANDOFF_NEED_CLAIM` + "\n" + c.Line
	}
	err := c.run(ctx, environ, input)
	if err == nil {
		t.kept.Told = append(t.kept.Told, key)
	}
	t.kept.Next, t.kept.Claim = "", ""
	err = errors.Join(err, t.save())
	_ = os.Remove(claim) // else it is swept
	return err
}

// recover reads what was told, and finds out what became of the command of a process that was killed.
func (t *toldNeeds) recover() error {
	text, err := platform.ReadRegular(filepath.Join(t.dir, workspace.ToldFile), 8<<20)
	if err == nil {
		if err = json.Unmarshal(text, &t.kept); err != nil {
			return fmt.Errorf("%s cannot be read. Remove it, and all that needs you is told again: %w", workspace.ToldFile, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.sweep()
	if t.kept.Next == "" {
		return nil
	}
	f, err := os.OpenFile(t.claim(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		t.kept.Told, err = append(t.kept.Told, t.kept.Next), nil
	case err != nil:
		return err
	default: // it stays, so that a shell which is still on its way does not begin
		err = f.Close()
	}
	t.kept.Next, t.kept.Claim = "", ""
	return errors.Join(t.save(), err)
}

// sweep removes claims for which no shell is on its way any more.
func (t *toldNeeds) sweep() {
	claims, _ := filepath.Glob(filepath.Join(t.dir, workspace.ToldFile+".claim-*"))
	for _, claim := range claims {
		if info, err := os.Stat(claim); err == nil && time.Since(info.ModTime()) > time.Hour && claim != t.claim() {
			_ = os.Remove(claim) // else the next one does
		}
	}
}

func (t *toldNeeds) claim() string {
	return filepath.Join(t.dir, workspace.ToldFile+".claim-"+t.kept.Claim)
}

func (t *toldNeeds) save() error {
	text, _ := json.Marshal(t.kept) // texts can be encoded
	return platform.Replace(filepath.Join(t.dir, workspace.ToldFile), workspace.ToldFile+".new-*", text, (*os.File).Sync)
}
