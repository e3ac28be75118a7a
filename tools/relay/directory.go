package relay

import (
	"fmt"
	"os"

	"handoff/tools/relay/platform"
)

// prepare makes the directory of a workspace, for this user only, because handoffs hold what agents know. The error is
// *networkFS for a directory on a file system that other machines may share.
//
// It may be called again at any time, also for a directory that somebody removed. It writes nothing into the directory.
func prepare(dir string) error {
	if err := makePrivate(dir); err != nil {
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

// makePrivate makes a directory for this user only, or takes the permissions of other users from one that exists.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a directory is entered by its x bit
}
