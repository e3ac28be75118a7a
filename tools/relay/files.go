package relay

import (
	"fmt"
	"os"

	"handoff/tools/platform"
)

// Somebody may take the files away from an owner: remove the directory, move it, or put a backup in the place of the
// store. What the owner writes then is lost, and another process may open the files that are there now. So the owner
// looks before each acknowledgement whether the files that it opened are still the ones under their names. If not, it
// gives the store up, and the call is repeated at the process that opens the files that are there.

// file is the file that was under a path when somebody looked.
//
// Files are compared by what the system says of their identity, not by content or time: a file that was written to is
// the same, one that was replaced by a copy is another. A copy that is made over the open file is not noticed.
type file struct {
	path string
	info os.FileInfo
}

func statFile(path string) (file, error) {
	info, err := os.Stat(path)
	return file{path, info}, err
}

// isInPlace reports whether the same file is still under the path.
func (f file) isInPlace() bool {
	now, err := os.Stat(f.path)
	return err == nil && os.SameFile(f.info, now)
}

// prepare makes the directory of a workspace, for this user only, because handoffs hold what agents know. The error is
// *networkFS for a directory on a file system that other machines may share.
//
// It may be called again at any time, also for a directory that somebody removed. It writes nothing into the directory.
func prepare(dir string) error {
	if err := platform.MakePrivate(dir); err != nil {
		return err
	}
	if kind := platform.NetworkKind(dir); kind != "" {
		return &networkFS{dir: dir, kind: kind}
	}
	return nil
}

// networkFS is the error of a directory on a network file system. Processes of other machines could not reach the
// owner, and neither locks nor mapped memory can be relied on there.
type networkFS struct {
	dir  string
	kind string // such as "nfs"
}

func (e *networkFS) Error() string {
	return fmt.Sprintf("%s is on a network file system (%s)", e.dir, e.kind)
}
