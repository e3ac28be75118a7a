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
		r, _ := s.receipt(c.File) // that of another change may have left it directories since
		exact := c.Exact || c.File.Missing && r.Missing
		if !c.Same() {
			if d.Backup, err = s.undo(c); err != nil {
				return err
			}
		}
		return errors.Join(removed(os.Remove(s.file(c.File.Resolved))), s.tidy(r, c.File.Resolved, exact))
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
	return errors.Join(err, s.leave(removeEmpty(made)))
}

// leave writes directories that setup made, outer ones first, into the receipts of other files in them, which may be
// of other clients: the last one to go removes them.
func (s Setter) leave(dirs []string) (err error) {
	for other := range s.receipts() {
		n := 0
		for n < len(dirs) && isAbove(installed.Resolved(dirs[n]), other.Resolved) {
			n++
		}
		if n > 0 {
			other.Folders = slices.Concat(dirs[:n], other.Folders)
			err = errors.Join(err, s.write(other))
			dirs = dirs[n:]
		}
	}
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

// removeEmpty removes directories, the last first, and gives those that stay, as others put something into them.
func removeEmpty(dirs []string) (stay []string) {
	for _, dir := range slices.Backward(dirs) {
		if os.Remove(dir) != nil && isFolder(dir) {
			stay = append(stay, dir)
		}
	}
	slices.Reverse(stay)
	return stay
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
