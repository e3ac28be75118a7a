package process

import "golang.org/x/sys/unix"

// parentOf gives the process that started another, zero where it cannot be seen.
func parentOf(pid int) int {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(info.Eproc.Ppid)
}
