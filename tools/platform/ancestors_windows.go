package platform

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// running returns a function for the name and the parent of a process, zero where the system does not tell. The number
// of a parent that has ended may be that of another process by now.
func running() func(pid int) (name string, parent int) {
	seen := map[int]windows.ProcessEntry32{}
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err == nil {
		defer windows.CloseHandle(all) //nolint:errcheck // nothing was written
		entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
		for err := windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
			seen[int(entry.ProcessID)] = entry
		}
	}
	return func(pid int) (string, int) {
		entry := seen[pid]
		return windows.UTF16ToString(entry.ExeFile[:]), int(entry.ParentProcessID)
	}
}
