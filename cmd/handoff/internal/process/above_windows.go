package process

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// running gives what the system tells of processes: of one its name and who started it, nothing where that cannot be seen. The
// number of who started it may be that of another process by now, since it is not kept for one that has ended.
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
