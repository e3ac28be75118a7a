package bolt

import (
	"os"

	"golang.org/x/sys/windows"
)

// mapSize is the initial size of a file and of its mapping, in bytes: on Windows bbolt cannot map more than the file
// has. Up to this size a file grows without waiting for views to end; at each doubling beyond it bbolt waits for them.
const mapSize = 64 << 20

// openFile opens a file whose unwritten end takes no space on the disk, where the file system can do that.
func openFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err == nil && flag&os.O_RDWR != 0 {
		var returned uint32
		_ = windows.DeviceIoControl(windows.Handle(f.Fd()), windows.FSCTL_SET_SPARSE, nil, 0, nil, 0, &returned, nil)
	}
	return f, err
}
