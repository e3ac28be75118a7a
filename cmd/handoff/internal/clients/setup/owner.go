package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"handoff/tools/platform"
)

// checkReplaceable returns an error if setup must not replace a file: the file has a second hard link, or belongs to
// another user.
func checkReplaceable(f fs.FileInfo) error {
	switch {
	case platform.HasHardLinks(f):
		return errors.New("it has another name (a hard link), under which it would stay as it is")
	case !platform.IsOwnFile(f):
		return errors.New("it belongs to another user")
	}
	return nil
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
