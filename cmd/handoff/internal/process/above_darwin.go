package process

import "golang.org/x/sys/unix"

// about gives the name of a process and who started it, nothing where that cannot be seen.
func about(pid int) (name string, parent int) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0
	}
	return unix.ByteSliceToString(info.Proc.P_comm[:]), int(info.Eproc.Ppid)
}
