//go:build linux || darwin

package platform

import "golang.org/x/sys/unix"

// LimitFileSize limits the size of files that this process and its children may write, in bytes. It also turns off
// core dumps.
func LimitFileSize(file uint64) {
	for resource, most := range map[int]uint64{unix.RLIMIT_FSIZE: file, unix.RLIMIT_CORE: 0} {
		var now unix.Rlimit
		if unix.Getrlimit(resource, &now) == nil {
			_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: min(now.Cur, most), Max: min(now.Max, most)}) // the limit may be lower already
		}
	}
}

// IsDiskNearlyFull reports whether the file system of a directory is nearly full: fewer than least bytes are free, and
// less than a twentieth of its size.
func IsDiskNearlyFull(dir string, least uint64) bool {
	var of unix.Statfs_t
	err := unix.Statfs(dir, &of)
	return err == nil && of.Bavail*uint64(of.Bsize) < least && of.Bavail < of.Blocks/20 //nolint:gosec // it is no negative number
}
