//go:build !unix || aix || solaris

package bolt

import "os"

// abandon lets go of a file that bbolt opened and panicked over.
func abandon(f *os.File) { _ = f.Close() }
