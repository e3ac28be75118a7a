package platform

import (
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// NetworkFileSystem returns the kind of network file system that a directory is on, such as "nfs". It is empty for a
// local one, and if the kernel does not report it.
func NetworkFileSystem(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return ""
	}
	return networkFileSystemName(uint32(fs.Type)) //nolint:gosec // always 32 bits, signed on some machines
}

//go:embed netfs_linux.txt
var networkFileSystems string

// networkFileSystemName finds a network file system by the magic number from statfs(2).
func networkFileSystemName(magic uint32) string {
	_, after, _ := strings.Cut(networkFileSystems, fmt.Sprintf("\n0x%08x ", magic))
	name, _, _ := strings.Cut(after, "\n")
	return name
}

// userOfSocket returns the user at the other end of a socket.
func userOfSocket(socket int) (uid int, err error) {
	peer, err := unix.GetsockoptUcred(socket, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}

// processLookup returns a function for the name and the parent of a process, zero if the system does not report them.
func processLookup() func(pid int) (name string, parent int) {
	return func(pid int) (string, int) {
		name, _, parent, _, _ := processInfo(pid)
		return name, parent
	}
}

// processStart returns when a process started, and in which namespace of process numbers this process sees it. Known is
// false for a process that has ended.
func processStart(pid int) (at string, known bool) {
	_, ended, _, _, started := processInfo(pid)
	namespace, err := os.Readlink("/proc/self/ns/pid")
	return namespace + " " + started, !ended && err == nil
}

// processInfo reads the stat of a process. The name is in parentheses, and may have any character (proc_pid_stat(5)).
// The state in it is the state of the first thread. A process has ended when its last thread has; only then its
// children get another parent.
func processInfo(pid int) (name string, ended bool, parent, session int, started string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	stat := string(text)
	begin, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if err != nil || begin < 0 || end < begin {
		return "", true, 0, 0, ""
	}
	fields := strings.Fields(stat[end+1:]) // from the third on
	parent, _ = strconv.Atoi(fields[1])
	session, _ = strconv.Atoi(fields[3])
	threads, _ := strconv.Atoi(fields[17])
	return stat[begin+1 : end], threads <= 1 && strings.Contains("ZX", fields[0]), parent, session, fields[19]
}
