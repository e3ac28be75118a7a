package platform

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// NetworkKind is "network drive" for a drive that Windows calls remote. Nothing here tells of which kind it is.
func NetworkKind(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "network drive"
}
