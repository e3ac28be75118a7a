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

// commandRecord is a file that lists the concerns for which the user's command ran. The command runs once for each
// concern, even if this process is killed. Only one process at a time may use the record.
//
// Before a run, the record stores the concern and a claim. The claim is the name of a file that does not exist yet. The
// shell of the command makes this file before it runs the command. After a crash, the next process tries to make the
// same file. If the file exists, the command had started, and the concern counts as notified. If the file does not
// exist, the command never started, and the new file keeps a slow shell from starting it. On Windows this process makes
// the file itself. If it is killed right after that, the command does not run.
type commandRecord struct {
	dir  string
	lock *os.File
	kept struct {
		Told  []string `json:"told"`
		Next  string   `json:"next,omitempty"` // the concern whose command may have started
		Claim string   `json:"claim,omitempty"`
	}
}

// openCommandRecord opens the record in a directory. The error is [platform.ErrLocked] while another process uses it.
func openCommandRecord(dir string) (*commandRecord, error) {
	lock, err := os.OpenFile(filepath.Join(dir, workspace.NotifiedFile+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	t := &commandRecord{dir: dir, lock: lock}
	if err = platform.TryLock(lock); err == nil {
		err = t.recover()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return t, nil
}

// Close lets another process use the record.
func (t *commandRecord) Close() error { return t.lock.Close() }

// hasRunFor reports whether a command ran for a concern.
func (t *commandRecord) hasRunFor(key string) bool { return slices.Contains(t.kept.Told, key) }

// addConcern records that the command ran for a concern.
func (t *commandRecord) addConcern(key string) error {
	t.kept.Told = append(t.kept.Told, key)
	return t.save()
}

// keepOnlyConcerns removes all concerns from the record except those with the given keys.
func (t *commandRecord) keepOnlyConcerns(keys []string) error {
	before := len(t.kept.Told)
	t.kept.Told = slices.DeleteFunc(t.kept.Told, func(key string) bool { return !slices.Contains(keys, key) })
	if len(t.kept.Told) == before {
		return nil
	}
	return t.save()
}

// run runs a command for a concern. If the command succeeds, it records the concern.
func (t *commandRecord) run(ctx context.Context, c needCommand, key string, environ []string, input []byte) error {
	t.kept.Next, t.kept.Claim = key, rand.Text()
	if err := t.save(); err != nil {
		return err
	}
	claim := t.claimPath()
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
	_ = os.Remove(claim) // otherwise sweep does it
	return err
}

// recover reads the record. If the last process was killed during a run, recover finds out whether the command had
// started.
func (t *commandRecord) recover() error {
	text, err := platform.ReadRegular(filepath.Join(t.dir, workspace.NotifiedFile), 8<<20)
	if err == nil {
		if err = json.Unmarshal(text, &t.kept); err != nil {
			return fmt.Errorf("%s cannot be read. Remove it, and all that needs you is told again: %w", workspace.NotifiedFile, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.removeOldClaims()
	if t.kept.Next == "" {
		return nil
	}
	f, err := os.OpenFile(t.claimPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		t.kept.Told, err = append(t.kept.Told, t.kept.Next), nil
	case err != nil:
		return err
	default: // the file stays, so that a slow shell does not start the command
		err = f.Close()
	}
	t.kept.Next, t.kept.Claim = "", ""
	return errors.Join(t.save(), err)
}

// removeOldClaims removes claims whose shells can no longer start.
func (t *commandRecord) removeOldClaims() {
	claims, _ := filepath.Glob(filepath.Join(t.dir, workspace.NotifiedFile+".claim-*"))
	for _, claim := range claims {
		if info, err := os.Stat(claim); err == nil && time.Since(info.ModTime()) > time.Hour && claim != t.claimPath() {
			_ = os.Remove(claim) // otherwise the next sweep does it
		}
	}
}

func (t *commandRecord) claimPath() string {
	return filepath.Join(t.dir, workspace.NotifiedFile+".claim-"+t.kept.Claim)
}

func (t *commandRecord) save() error {
	text, _ := json.Marshal(t.kept) // strings can be encoded
	return platform.ReplaceFile(filepath.Join(t.dir, workspace.NotifiedFile), workspace.NotifiedFile+".new-*", text, (*os.File).Sync)
}
