package setup

import (
	"fmt"
	"io/fs"
	"os"

	"handoff/tools/platform"
)

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
