package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// checksumsFile is the name of the file with the checksums. A folder with this file counts as a folder of a release.
const checksumsFile = "checksums.txt"

// outFolder returns the folder for the release. The release empties this folder. So outFolder returns an error if the
// folder has files without the checksums.txt of an earlier release.
func outFolder(root, out string) (string, error) {
	out, err := filepath.Abs(cmp.Or(out, filepath.Join(root, "dist")))
	entries, unread := os.ReadDir(out)
	if err != nil || errors.Is(unread, fs.ErrNotExist) {
		return out, err
	}
	followed, err := filepath.EvalSymlinks(out)
	root, unresolved := filepath.EvalSymlinks(root)
	inside, _ := filepath.Rel(followed, root) // it fails for a root on another drive
	switch err = errors.Join(unread, err, unresolved); {
	case err != nil:
		return "", err
	case filepath.IsLocal(inside):
		return "", fmt.Errorf("-out %s holds the repository, and would be emptied", out)
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == checksumsFile }):
		return "", fmt.Errorf("-out %s has files, and no checksums.txt of an earlier release: empty it, or name another", out)
	}
	return out, nil
}
