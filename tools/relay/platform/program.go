package platform

import (
	"os"
	"path/filepath"
	"strings"
)

// Program is the name, without its directory, of the file that a process runs. The process is given by its number,
// or as "self". A file that was replaced or removed meanwhile keeps its name. The error is [fs.ErrNotExist] when
// there is no such process, or when the system has no /proc: today only Linux answers.
func Program(process string) (string, error) {
	path, err := os.Readlink(filepath.Join("/proc", process, "exe"))
	if err != nil {
		return "", err
	}
	return filepath.Base(strings.TrimSuffix(path, " (deleted)")), nil
}
