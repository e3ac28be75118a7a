package relay

import (
	"fmt"
	"os"

	"handoff/tools/platform"
)

// People or programs may remove the directory of a living owner, move it, or replace the store by a backup. Later
// writes of the owner are lost then, and another process may open the present files. So the owner checks before each
// acknowledgement whether its open files are still the files under their names. If not, it gives the store up, and
// the call is repeated at the process that opens the present files.

// fileIdentity is the file that was under a path at the time of statFile.
//
// Files are compared by their identity in the system, not by content or time: a file that was written to is the same,
// and one that was replaced by a copy is another. A copy that is written over the open file is not noticed.
type fileIdentity struct {
	path string
	info os.FileInfo
}

func statFile(path string) (fileIdentity, error) {
	info, err := os.Stat(path)
	return fileIdentity{path, info}, err
}

// isInPlace reports whether the same file is still under the path.
func (f fileIdentity) isInPlace() bool {
	now, err := os.Stat(f.path)
	return err == nil && os.SameFile(f.info, now)
}

// prepareDir makes the directory of a workspace, for this user only, because handoffs hold the knowledge of agents. The
// error is *networkFSError for a directory on a file system that other machines may share.
//
// It may be called again at any time, also after the directory was removed. It writes nothing into the directory.
func prepareDir(dir string) error {
	if err := platform.MakePrivate(dir); err != nil {
		return err
	}
	if kind := platform.NetworkFileSystem(dir); kind != "" {
		return &networkFSError{dir: dir, kind: kind}
	}
	return nil
}

// networkFSError is the error of a directory on a network file system. Processes of other machines could not reach the
// owner, and neither locks nor mapped memory are reliable there.
type networkFSError struct {
	dir  string
	kind string // such as "nfs"
}

func (e *networkFSError) Error() string {
	return fmt.Sprintf("%s is on a network file system (%s)", e.dir, e.kind)
}
