package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/platform"
)

// PlanUndo returns the changes that remove handoff from a client. It changes no file. If only setup has changed a file,
// the file gets its old text. Otherwise the change removes our parts from the present text. The changes are in the
// reverse order of setup, so that a directory that setup made is empty before undo removes it.
func (s Installer) PlanUndo(c client.Client, d DesiredSetup) (all []FileChange) {
	for _, t := range slices.Backward(d.targetFiles(c)) {
		all = append(all, s.planFileUndo(c, d, t).withLocalServerNote())
	}
	return all
}

func (s Installer) planFileUndo(c client.Client, d DesiredSetup, t targetFile) FileChange {
	change := s.newChange(c, d, t)
	r := change.receipt
	switch {
	case change.Err != nil || change.File.Missing:
		return change
	case r.After == textDigest(change.File.Text):
		change.After, change.Gone, change.Exact = r.Before, r.Missing, true
		return change
	}
	var foreign bool
	if change.After, foreign, change.Err = change.textWithoutParts(); change.Err == nil {
		if foreign && change.IsRecorded() {
			change.Foreign = d.newForeignServerError(c)
		}
		change.Gone = r.Missing && slices.Contains([]string{"", "{}"}, string(bytes.TrimSpace(change.After)))
	}
	return change
}

// withLocalServerNote adds a note if the client's file also lists our server for this project alone. Setup never writes
// such an entry: a person added it, so undo does not remove it.
func (c FileChange) withLocalServerNote() FileChange {
	if c.Foreign != nil || !c.target.server || c.desired.Scope != client.User {
		return c
	}
	entries, _ := installed.ServerEntries(c.Client, c.desired.Machine)
	for _, e := range entries {
		if e.Scope == installed.Local {
			remove := c.Client.RemoveCommand(e.Scope, e.Name)
			c.Foreign = fmt.Errorf("another is for this project alone (%s takes it out)", remove)
		}
	}
	return c
}

// textWithoutParts returns the text of the file without our parts. Foreign reports whether a server of another author
// has the name of our entry.
func (c FileChange) textWithoutParts() (_ []byte, foreign bool, err error) {
	doc, err := c.File.ParseDocument(c.target.syntax)
	if err != nil {
		return c.File.Text, false, err
	}
	before := doc.Bytes()
	if c.target.server { // a server of our name that is not ours stays
		at := serverPath(c.Client, doc)
		old, _ := doc.Lookup(at...)
		if fields, ok := old.(map[string]any); ok && c.desired.isOurEntry(fields, c.receipt) {
			err = doc.Delete(at...)
		}
		_, foreign = doc.Lookup(append(installed.ServerListKeys(c.Client, doc), client.ServerName)...)
	}
	nothing := c.desired
	nothing.Hooks, nothing.Server.Trust = false, false
	err = errors.Join(err, nothing.putSettings(c.Client, c.target, doc, c.receipt))
	for _, path := range slices.Backward(c.receipt.Made) { // inner ones first
		if v, ok := doc.Lookup(path...); ok && edit.IsEmptyContainer(v) {
			err = errors.Join(err, doc.Delete(path...))
		}
	}
	if err != nil || bytes.Equal(doc.Bytes(), before) {
		return c.File.Text, foreign, err
	}
	return doc.Bytes(), foreign, nil
}

// ApplyUndo makes a change that [Installer.PlanUndo] returned. It removes the receipt, and empty directories that setup
// made. If the file has its old text again, ApplyUndo also removes the backup copies. Otherwise it makes a new copy and
// returns the copy's path. It fails if another program has changed the file since the plan. If the process dies after
// it wrote the file, the next undo removes the receipt.
func (s Installer) ApplyUndo(c FileChange) (backup string, err error) {
	if c.Err != nil || c.IsUnchanged() && !c.IsRecorded() {
		return "", c.Err
	}
	err = s.withLock(c, func() error {
		if !c.IsUnchanged() {
			if backup, err = s.writeUndo(c); err != nil {
				return err
			}
		}
		return errors.Join(ignoreMissing(os.Remove(s.receiptPath(c.File.Resolved))), s.removeLeftovers(c))
	})
	return backup, err
}

// writeUndo writes the new text of the file, or removes the file. If the file does not get its text from before setup,
// writeUndo first copies the file, and returns the path of the copy.
func (s Installer) writeUndo(c FileChange) (backup string, err error) {
	if !c.Exact {
		if backup, err = s.backUpFile(c); err != nil {
			return "", err
		}
	}
	if c.Gone {
		if err = c.checkUnchanged(); err == nil {
			err = os.Remove(c.File.Resolved)
		}
	} else {
		err = c.writeFile()
	}
	if err != nil && backup != "" {
		return "", errors.Join(err, os.Remove(backup))
	}
	return backup, err
}

// removeLeftovers removes the empty directories that setup made for a file. If the file is as it was before setup, it
// also removes the file's backup copies. It does not trust the receipt, because another program may have written it. So
// it removes a copy only if it has the name and the directory of a backup copy, and a directory only if it is a parent
// of the file.
func (s Installer) removeLeftovers(c FileChange) (err error) {
	exact, resolved := c.Exact || c.File.Missing && c.receipt.Missing, c.File.Resolved
	for _, name := range c.receipt.Backups {
		if exact && s.isBackupCopy(name, resolved) {
			err = errors.Join(err, ignoreMissing(os.Remove(name)))
		}
	}
	made := slices.DeleteFunc(slices.Clone(c.receipt.Folders), func(dir string) bool {
		return !workspace.DirContains(platform.ResolveLinks(dir), resolved)
	})
	removeEmptyDirs(made)
	return err
}

// isBackupCopy reports whether a path has the name and the directory of a backup copy of the file.
func (s Installer) isBackupCopy(path, resolved string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() &&
		slices.Contains([]string{filepath.Dir(resolved), s.Dir}, filepath.Dir(path)) && strings.HasPrefix(filepath.Base(path), filepath.Base(resolved)+copied)
}

// makeParentDirs creates the directory of a file. It returns all directories that it created, outer ones first.
func makeParentDirs(path string, mode fs.FileMode) (made []string, err error) {
	dir := filepath.Dir(path)
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append([]string{d}, made...)
	}
	return made, os.MkdirAll(dir, mode)
}

// removeEmptyDirs removes directories, beginning with the last one. Directories that are not empty stay.
func removeEmptyDirs(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			_ = os.Remove(dir)
		}
	}
}
