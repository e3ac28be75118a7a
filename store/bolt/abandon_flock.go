//go:build unix && !aix && !solaris

package bolt

import (
	"os"
	"syscall"
)

// abandon closes a file after bbolt panicked while it opened it. It also unlocks the file: the lock would live as long
// as the mapping of the file, which nobody can undo.
func abandon(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}
