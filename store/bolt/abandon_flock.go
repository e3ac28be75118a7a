//go:build unix && !aix && !solaris

package bolt

import (
	"os"
	"syscall"
)

// abandon lets go of a file that bbolt opened and panicked over. Closing it is
// not enough: the lock lives as long as the mapping, which nobody can undo.
func abandon(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}
