package bolt

import (
	"os"

	"golang.org/x/sys/windows"
)

// mapSize is how large a file is made and mapped from the beginning, in bytes: bbolt maps no more here than the file
// has. Up to this size a file grows without waiting for views to end, and at each doubling of it bbolt waits for them.
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
