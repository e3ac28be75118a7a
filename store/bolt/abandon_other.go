//go:build !unix || aix || solaris

package bolt

import "os"

// abandon closes a file after bbolt panicked while it opened it.
func abandon(f *os.File) { _ = f.Close() }
