//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another, where we may.
func keepOwner(f *os.File, of fs.FileInfo) {
	if owner, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(owner.Uid), int(owner.Gid))
	}
}
