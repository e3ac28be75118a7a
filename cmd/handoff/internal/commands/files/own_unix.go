//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn tells whether a file is that of whoever runs this.
func isOwn(f fs.FileInfo) bool {
	of, ok := f.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid()
}
