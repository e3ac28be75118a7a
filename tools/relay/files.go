package relay

import (
	"fmt"
	"os"

	"handoff/tools/platform"
)

// A person or a program may remove or move the directory of a running owner, or replace the store by a backup. Then
// later writes of the owner would be lost, and another process may open the new files. So before each acknowledgement
// the owner checks whether its open files are still the files at their paths. If not, the owner gives the store up, and
// the calls are repeated at the next owner.

// fileIdentity identifies the file that was at a path when statFile was called. It compares files by their identity in
// the file system, not by content or time. So a file that was written to is the same file, and a copy in its place is
// another. A copy that was written over the open file is not noticed.
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

// prepareDir makes the directory of a workspace, for this user only, because handoffs hold knowledge of agents. It may
// be called again, also after the directory was removed. The error is *networkFSError if the directory is on a network
// file system.
func prepareDir(dir string) error {
	if err := platform.MakePrivate(dir); err != nil {
		return err
	}
	if kind := platform.NetworkFileSystem(dir); kind != "" {
		return &networkFSError{dir: dir, kind: kind}
	}
	return nil
}

// networkFSError is the error for a directory on a network file system. Processes of other machines could open the
// store there without reaching the owner, and locks and mapped memory are not reliable.
type networkFSError struct {
	dir  string
	kind string // such as "nfs"
}

func (e *networkFSError) Error() string {
	return fmt.Sprintf("%s is on a network file system (%s)", e.dir, e.kind)
}
