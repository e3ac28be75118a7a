package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/tools/platform"
)

// errFileChanged says that a file changed after the plan was shown.
var errFileChanged = errors.New("it was changed meanwhile: run this again")

// Apply makes a change that [Installer.PlanSetup] returned. It returns the path of the file's backup copy, or ""
// without a copy. It fails if another program has changed the file since the plan. If Apply fails, the file, its copies
// and the directories are as before. Callers must not apply a change twice: the second call fails.
func (s Installer) Apply(c FileChange) (backup string, err error) {
	if c.Err != nil || c.IsUnchanged() {
		return "", c.Err
	}
	err = s.withLock(c, func() error {
		backup, err = s.applyOrRestore(c)
		return err
	})
	return backup, err
}

// applyOrRestore makes a change, and undoes all steps if one step fails. It writes the receipt before the file, because
// undo needs a receipt for every change.
func (s Installer) applyOrRestore(c FileChange) (backup string, err error) {
	_, mode := c.desired.newModes()
	made, err := makeParentDirs(c.File.Resolved, mode)
	if err == nil {
		backup, err = s.backUpFile(c)
	}
	if err == nil {
		err = s.recordChange(c, made, backup)
	}
	if err == nil {
		if err = c.writeFile(); err == nil {
			return backup, nil
		}
		err = errors.Join(err, s.restoreReceipt(c))
	}
	if backup != "" {
		err = errors.Join(err, os.Remove(backup))
	}
	removeEmptyDirs(made)
	return "", err
}

// checkUnchanged fails if the file changed since it was read.
func (c FileChange) checkUnchanged() error {
	now, err := c.desired.readChangeable(c.File.Path)
	was := c.File
	same := now.Missing == was.Missing && now.Resolved == was.Resolved && bytes.Equal(now.Text, was.Text)
	if err == nil && !same {
		err = errFileChanged
	}
	return err
}

// writeFile writes the whole file, so that a reader finds the old text or the new text. The new file gets the mode and
// the group of the old file.
func (c FileChange) writeFile() error {
	err := platform.ReplaceFile(c.File.Resolved, ".handoff-*", c.After, func(f *os.File) (err error) {
		mode, _ := c.desired.newModes()
		if c.File.Info != nil {
			mode, err = c.File.Info.Mode().Perm(), keepGroup(f, c.File.Info)
		}
		err = errors.Join(err, f.Chmod(mode), f.Sync()) // the mode after the group: a change of the group removes some bits
		if err == nil {
			err = c.checkUnchanged()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return nil
}

// newModes returns the modes of a new file and of a new directory. Other users may read files of the project, but not
// files of the user.
func (d DesiredSetup) newModes() (file, folder fs.FileMode) {
	if d.Scope == client.Project {
		return 0o644, 0o755
	}
	return 0o600, 0o700
}

// withLock calls do while no other process runs setup. Otherwise one process could write a receipt for the text of
// another. It fails if the file of the change is not as it was when the change was planned. The operating system
// releases the lock when the process ends. The lock's file stays. On a file system without locks, several processes may
// run setup at the same time.
func (s Installer) withLock(c FileChange, do func() error) (err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("take turns: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("take turns: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }() // releases the lock
	err = platform.Lock(f)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.ENOLCK) {
		return fmt.Errorf("take turns: %w", err)
	}
	if err = c.checkUnchanged(); err != nil {
		return err
	}
	return do()
}

// backUpFile copies a file before a change, and returns the path of the copy. Only the user can read the copy. The copy
// of a user's file lies next to the file. The copy of a project's file lies in the directory of the receipts, so that
// it cannot get into a commit.
func (s Installer) backUpFile(c FileChange) (string, error) {
	f := c.File
	if f.Missing {
		return "", nil
	}
	first := f.Resolved + copied + s.Now().UTC().Format("20060102-150405")
	if c.desired.Scope == client.Project {
		first = filepath.Join(s.Dir, filepath.Base(first))
	}
	name, err := first, writeNewFile(first, f.Text)
	for n := 2; errors.Is(err, fs.ErrExist) && n < 100; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
		err = writeNewFile(name, f.Text)
	}
	if err != nil {
		return "", fmt.Errorf("back it up: %w", err)
	}
	return name, nil
}

// copied stands in the name of a backup copy, for example in settings.json.handoff-backup-20260102-150405.
const copied = ".handoff-backup-"

// writeNewFile creates a file with a text. It fails if the file exists. After an error there is no new file.
func writeNewFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// keepGroup gives a new file the group of the old file, if the user belongs to the group. Some operating systems have
// no groups of files. There keepGroup does nothing.
func keepGroup(f *os.File, of fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, is, known := platform.FileOwner(info)
	_, was, knownBefore := platform.FileOwner(of)
	if !known || !knownBefore || is == was {
		return nil
	}
	if err := f.Chown(-1, was); err != nil {
		return fmt.Errorf("keep its group: %w", err)
	}
	return nil
}
