package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/cmd/handoff/internal/shell"
)

// storeFile examines the file of the store. If there is no file, or an empty one, the next command makes a store;
// anything else is in the way.
func storeFile(path string, sh Shell) []Finding {
	const renewed = "what it held, if anything, is lost, and the next command makes a new store of it"
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && canBeMade(path):
		return []Finding{warning(aboutStore, "%s is a link to no file: %s", path, renewed).try(sh.line("list"))}
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{failure(aboutStore, "%s is a link that leads nowhere", path).try(aside(path))}
	case err != nil:
		return nil // the directory tells why
	case !info.Mode().IsRegular():
		return []Finding{failure(aboutStore, "%s is no file", path).try(aside(path))}
	case info.Size() == 0:
		return []Finding{warning(aboutStore, "%s is empty: %s", path, renewed).try(sh.line("list"))}
	}
	return nil
}

// canBeMade tells whether the directory to which a link leads is there, so that a file can be made.
func canBeMade(link string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(link), target)
	}
	info, err := os.Stat(filepath.Dir(target))
	return err == nil && info.IsDir()
}

// aside is the command that moves something away and loses nothing.
func aside(path string) string {
	to := path + ".aside"
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); err != nil {
			return "mv " + shell.Line([]string{path, to})
		}
		to = fmt.Sprintf("%s.aside-%d", path, n)
	}
}
