package platform

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// NetworkFileSystem returns the kind of network file system that a directory is on, such as "nfs". It is empty for a
// local one, and if the kernel does not report it.
func NetworkFileSystem(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return ""
	}
	return networkFileSystemName(unix.ByteSliceToString(fs.Fstypename[:]))
}

// networkFileSystemName finds a network file system by the name from statfs(2). FUSE is not in the table, because sshfs
// and local file systems look the same there.
func networkFileSystemName(name string) string {
	return map[string]string{
		"nfs":    "nfs",
		"smbfs":  "smb",
		"cifs":   "cifs",
		"afpfs":  "afp",
		"webdav": "webdav",
		"afs":    "afs",
	}[name]
}

// userOfSocket returns the user at the other end of a socket.
func userOfSocket(socket int) (uid int, err error) {
	peer, err := unix.GetsockoptXucred(socket, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}

// processLookup returns a function for the name and the parent of a process, zero if the system does not report them.
func processLookup() func(pid int) (name string, parent int) { return processInfo }

// processStart returns when a process started. Known is false for a process that has ended.
func processStart(pid int) (at string, known bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", false
	}
	return fmt.Sprint(info.Proc.P_starttime), true
}

func processInfo(pid int) (name string, parent int) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", 0
	}
	return unix.ByteSliceToString(info.Proc.P_comm[:]), int(info.Eproc.Ppid)
}
