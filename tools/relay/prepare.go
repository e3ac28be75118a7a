package relay

import (
	"fmt"
	"os"

	"handoff/tools/relay/platform"
)

// prepare makes the directory of a workspace, for its user only: handoffs hold what agents know. It gives a
// *networkFS error for a directory that other machines share.
func prepare(dir string) error {
	if err := makePrivate(dir); err != nil {
		return err
	}
	if kind := platform.NetworkKind(dir); kind != "" {
		return &networkFS{dir: dir, kind: kind}
	}
	return nil
}

// networkFS tells that a directory is on a file system that other machines may share. Their processes could
// not reach the owner, and locks and mapped memory do not hold there.
type networkFS struct {
	dir  string
	kind string // such as "nfs"
}

func (e *networkFS) Error() string {
	return fmt.Sprintf("%s is on a network file system (%s)", e.dir, e.kind)
}

// makePrivate makes a directory, or makes one that is there private.
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
