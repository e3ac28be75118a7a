//go:build unix

package doctor

import "golang.org/x/sys/unix"

// writable tells whether files can be made in a directory.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }
