package setup

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
