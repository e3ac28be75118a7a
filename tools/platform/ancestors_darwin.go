package platform

import "golang.org/x/sys/unix"

// running returns a function for the name and the parent of a process, zero where the system does not tell.
func running() func(pid int) (name string, parent int) { return about }

func about(pid int) (name string, parent int) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0
	}
	return unix.ByteSliceToString(info.Proc.P_comm[:]), int(info.Eproc.Ppid)
}
