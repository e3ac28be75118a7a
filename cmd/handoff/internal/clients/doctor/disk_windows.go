package doctor

import "golang.org/x/sys/windows"

func diskOf(dir string) (d disk, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return d, err
	}
	return d, windows.GetDiskFreeSpaceEx(path, &d.free, &d.all, nil)
}
