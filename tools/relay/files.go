package relay

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"
)

// Somebody may take the files away from an owner: remove the directory, move it, or put a backup in the place of the
// store. What the owner writes then is lost, and another process may open the files that are there now. So the owner
// looks before each acknowledgement whether the files that it opened are still the ones under their names. If not, it
// gives the store up, and the call is repeated at the process that opens the files that are there.

// file is the file that was under a path when somebody looked.
//
// Files are compared by what the system says of their identity, not by content or time: a file that was written to is
// the same, one that was replaced by a copy is another.
type file struct {
	path string
	was  os.FileInfo
}

func fileAt(path string) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, fmt.Errorf("look at a file that was just opened: %w", err)
	}
	return file{path, info}, nil
}

// inPlace reports whether the same file is still under the path.
func (f file) inPlace() bool {
	now, err := os.Stat(f.path)
	return err == nil && os.SameFile(f.was, now)
}

// filesInPlace reports whether the lock and all files of the store are those that were opened. It costs a stat for
// each.
func (o *owner) filesInPlace() bool {
	return !slices.ContainsFunc(o.files, func(f file) bool { return !f.inPlace() })
}

// watchFiles looks after the files once a second, and after what others need to find this process, until the route is
// lost.
func (o *owner) watchFiles() {
	look := time.NewTicker(checkInterval)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-o.route.life.Done():
			return
		}
		if !o.filesInPlace() {
			o.filesReplaced()
			return
		}
		if err := o.restore(); err != nil {
			o.relay.config.Logger.Warn("others do not find the owner of the store", slog.Any("error", err))
		}
	}
}

// filesReplaced gives up files that are not those of the workspace any more.
func (o *owner) filesReplaced() {
	_ = o.relay.resign(o, "its files were removed or replaced") // when it cannot, it gives them up already
}
