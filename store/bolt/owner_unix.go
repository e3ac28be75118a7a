//go:build unix

package bolt

import (
	"os"
	"syscall"
)

// keepOwner gives a file to whom the one belongs that it replaces: what root compacts stays that of its user.
func keepOwner(path, of string) error {
	info, err := os.Stat(of)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return os.Chown(path, int(s.Uid), int(s.Gid))
	}
	return nil
}
