package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/installed"
)

// Revert makes a change that [Setter.Undo] gave, and removes the receipt and the directories that setup made for the
// file and that are empty now. Where the text that was there before is back, it removes the copies as well. It leaves
// a file alone that somebody else changed since. When the process dies after the file was written, the next undoing
// removes the receipt, and the copies stay.
func (s Setter) Revert(ctx context.Context, c Change) (d Done, err error) {
	if c.Err != nil || c.Same() && !c.Recorded {
		return d, c.Err
	}
	return d, s.inTurn(ctx, func() error {
		if err := c.stillSo(); err != nil {
			return err
		}
		exact := c.Exact || c.File.Missing && c.receipt.Missing
		if !c.Same() {
			if d.Backup, err = s.undo(c); err != nil {
				return err
			}
		}
		return errors.Join(removed(os.Remove(s.file(c.File.Resolved))), s.tidy(c.receipt, c.File.Resolved, exact))
	})
}

// undo writes the text of an undoing, or removes the file, and gives the copy that it made of what nobody can make
// again.
func (s Setter) undo(c Change) (backup string, err error) {
	if !c.Exact {
		if backup, err = s.backup(c); err != nil {
			return "", err
		}
	}
	if c.Gone {
		if err = c.stillSo(); err == nil {
			err = os.Remove(c.File.Resolved)
		}
	} else {
		err = c.write()
	}
	if err != nil && backup != "" {
		return "", errors.Join(err, os.Remove(backup))
	}
	return backup, err
}

// tidy removes the copies of a file, if they are not needed any more, and the directories that setup made and that
// are empty then. Others may have written the receipt, so that it removes only what can be ours: a copy lies beside
// its file or with the receipts and is named as copies are, and a directory has the file somewhere in it.
func (s Setter) tidy(r receipt, resolved string, copies bool) (err error) {
	for _, name := range r.Backups {
		if copies && s.isCopy(name, resolved) {
			err = errors.Join(err, removed(os.Remove(name)))
		}
	}
	made := slices.DeleteFunc(slices.Clone(r.Folders), func(dir string) bool {
		return !isAbove(installed.Resolved(dir), resolved) || !isFolder(dir)
	})
	removeEmpty(made)
	return err
}

// isCopy tells whether a path is that of a copy of a file.
func (s Setter) isCopy(path, resolved string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() &&
		slices.Contains([]string{filepath.Dir(resolved), s.Dir}, filepath.Dir(path)) && strings.HasPrefix(filepath.Base(path), filepath.Base(resolved)+copied)
}

// folders makes the directory of a file and gives those that were made, outer ones first.
func folders(path string, mode fs.FileMode) (made []string, err error) {
	dir := filepath.Dir(path)
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append([]string{d}, made...)
	}
	return made, os.MkdirAll(dir, mode)
}

// removeEmpty removes directories, the last first. Those stay into which others put something.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir)
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// isAbove tells whether a path is in a directory, as far as the two are spelled alike.
func isAbove(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != "." && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}
