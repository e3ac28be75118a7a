package relay

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkKind tells a drive of another machine from local ones, and not more.
func networkKind(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "network drive"
}
