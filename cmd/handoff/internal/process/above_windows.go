package process

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// about gives the name of a process and who started it, nothing where that cannot be seen. The number of who started it
// may be that of another process by now, since it is not kept for one that has ended.
func about(pid int) (name string, parent int) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return "", 0
	}
	defer windows.CloseHandle(all) //nolint:errcheck // nothing was written
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err := windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
		if int(entry.ProcessID) == pid {
			return windows.UTF16ToString(entry.ExeFile[:]), int(entry.ParentProcessID)
		}
	}
	return "", 0
}
