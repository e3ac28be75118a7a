//go:build !windows

package bolt

import "syscall"

// systemFull are errors of a full disk that only this system has.
var systemFull []syscall.Errno
