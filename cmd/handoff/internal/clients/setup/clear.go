package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/clients/installed"
)

// A receipt is a file that others may have written, and what it names is removed. So no more of it counts than can be
// true: a copy lies beside its file and is called as copies are, and a directory has the file somewhere in it.

// clear removes what was made beside a file: its copies, if they are not needed any more, and the directories that are
// empty then.
func (s Setter) clear(r receipt, target string, copies bool) (err error) {
	for _, name := range r.Backups {
		if copies && isCopy(name, target) {
			err = errors.Join(err, removed(os.Remove(name)))
		}
	}
	made := slices.DeleteFunc(slices.Clone(r.Folders), func(dir string) bool {
		return !isAbove(installed.Resolved(dir), target) || !isFolder(dir)
	})
	return errors.Join(err, s.leave(removeEmpty(made)))
}

// leave leaves directories that were made, outer ones first, to the receipts of files in them.
func (s Setter) leave(dirs []string) (err error) {
	for other := range s.receipts() {
		n := 0
		for n < len(dirs) && isAbove(installed.Resolved(dirs[n]), other.target()) {
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
func isCopy(path, target string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() &&
		filepath.Dir(path) == filepath.Dir(target) && strings.HasPrefix(filepath.Base(path), filepath.Base(target)+copied)
}
