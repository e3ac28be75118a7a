package onevent

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

	"handoff/tools/relay/platform"
)

// ToldFile is the name under which [Told] keeps what was told; its other files begin with it and a dot.
const ToldFile = "handoff.told"

// Told remembers, in files of a directory, of which things a command was told, so that it is told of each once, also
// when the process that runs it was killed at any moment. One process at a time has it.
//
// Before a command runs its thing is written down together with the name of a claim. The shell of the command makes the
// file of that name, which only one can, and only then runs the command. A process that finds a thing written down makes
// the file itself: where it can, the command has not begun and never will, so it is run anew; where it cannot, it has,
// and that counts as told, since nobody knows how it ended. On Windows the process makes the file before it starts the
// command: one that is killed in between has not told it.
type Told struct {
	dir  string
	lock *os.File
	keys map[string]bool
}

// begun is the thing whose command may have begun, and the claim of the command.
type begun struct {
	Key   string `json:"key"`
	Claim string `json:"claim"`
}

// OpenTold opens what was told in a directory. The error is [platform.ErrLocked] while another process has it.
func OpenTold(dir string) (*Told, error) {
	t := &Told{dir: dir, keys: map[string]bool{}}
	lock, err := os.OpenFile(t.file(".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	t.lock = lock
	if err := platform.TryLock(lock); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if err := t.recover(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return t, nil
}

// Close lets another process have it.
func (t *Told) Close() error { return t.lock.Close() }

// Knows reports whether a command was told of a thing.
func (t *Told) Knows(key string) bool { return t.keys[key] }

// Keep forgets all things but these.
func (t *Told) Keep(keys []string) error {
	before := len(t.keys)
	for key := range t.keys {
		if !slices.Contains(keys, key) {
			delete(t.keys, key)
		}
	}
	if len(t.keys) == before {
		return nil
	}
	return t.save()
}

// Add notes that a command was told of a thing.
func (t *Told) Add(key string) error {
	t.keys[key] = true
	return t.save()
}

// Tell runs a command for a thing, and notes that it was told. Where the command failed, and was not ended because ctx
// is done, it is not noted.
func (t *Told) Tell(ctx context.Context, c Command, key string, environ []string, input []byte) error {
	b := begun{Key: key, Claim: rand.Text()}
	if err := t.write(".next", b); err != nil {
		return err
	}
	claim := t.file(".claim-" + b.Claim)
	if runtime.GOOS == "windows" {
		if err := os.WriteFile(claim, nil, 0o600); err != nil {
			return err
		}
	} else {
		environ = append(slices.Clip(environ), "HANDOFF_NEED_CLAIM="+claim)
		c.Line = `( set -C; : >"$HANDOFF_NEED_CLAIM" ) || exit 75; unset HANDOFF_NEED_CLAIM` + "\n" + c.Line
	}
	err := c.Run(ctx, environ, input)
	if err == nil || ctx.Err() != nil {
		err = errors.Join(err, t.Add(key))
	}
	return errors.Join(err, os.Remove(t.file(".next")), ignoring(os.Remove(claim), fs.ErrNotExist))
}

// recover reads what was told, and finds out what became of the command that a process began which was killed.
func (t *Told) recover() error {
	t.sweep()
	var keys []string
	var b begun
	if err := errors.Join(t.read("", &keys), t.read(".next", &b)); err != nil {
		return err
	}
	for _, key := range keys {
		t.keys[key] = true
	}
	if b.Claim == "" {
		return nil
	}
	f, err := os.OpenFile(t.file(".claim-"+b.Claim), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		err = t.Add(b.Key)
	case err == nil: // it stays, so that a shell which is still on its way does not begin
		err = f.Close()
	}
	return errors.Join(err, os.Remove(t.file(".next")))
}

// sweep removes old claims, for which no shell is on its way any more.
func (t *Told) sweep() {
	claims, _ := filepath.Glob(t.file(".claim-*"))
	for _, claim := range claims {
		if info, err := os.Stat(claim); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(claim) // else the next one does
		}
	}
}

func (t *Told) save() error {
	keys := make([]string, 0, len(t.keys))
	for key := range t.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return t.write("", keys)
}

func (t *Told) file(more string) string { return filepath.Join(t.dir, ToldFile+more) }

func (t *Told) write(more string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return platform.Replace(t.file(more), ToldFile+".new-*", text, (*os.File).Sync)
}

// read reads a file that may not be there. One that is no JSON, as after a loss of power, is an error: nobody knows what
// was told.
func (t *Told) read(more string, value any) error {
	text, err := platform.ReadRegular(t.file(more), 8<<20)
	if err != nil {
		return ignoring(err, fs.ErrNotExist)
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s cannot be read. Remove it, and all that needs you is told again: %w", t.file(more), err)
	}
	return nil
}

func ignoring(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
