package bolt

import "syscall"

// systemFull are errors of a full disk that only this system has.
var systemFull = []syscall.Errno{
	39,  // ERROR_HANDLE_DISK_FULL
	112, // ERROR_DISK_FULL
}
