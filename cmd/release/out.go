package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// checksumsFile is the name of the file with the checksums. A folder with this file counts as a folder of a release.
const checksumsFile = "checksums.txt"

// outFolder returns the folder for the release. The release empties this folder. So outFolder returns an error if the
// folder has files without the checksums.txt of an earlier release.
func outFolder(root, out string) (string, error) {
	out, err := filepath.Abs(cmp.Or(out, filepath.Join(root, "dist")))
	if err != nil {
		return "", err
	}
	if inside, err := filepath.Rel(resolvePath(out), resolvePath(root)); err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("-out %s holds the repository, and would be emptied", out)
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return out, nil
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(out, checksumsFile)); err != nil {
		return "", fmt.Errorf("-out %s has files, and no checksums.txt of an earlier release: empty it, or name another", out)
	}
	return out, nil
}

// resolvePath follows links, as far as the path exists.
func resolvePath(name string) string {
	if followed, err := filepath.EvalSymlinks(name); err == nil {
		return followed
	}
	return name
}
