//go:build linux || darwin

package doctor

import "golang.org/x/sys/unix"

// diskOf gives the space of a file system that users other than root may use.
func diskOf(dir string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return disk{}, err
	}
	block := uint64(s.Bsize) //nolint:gosec // it is positive, and signed on some systems
	return disk{free: s.Bavail * block, all: s.Blocks * block}, nil
}
