package relay

import "golang.org/x/sys/unix"

// networkKind names the network file system that a directory is on. It is empty for a local one, and where
// the kernel does not tell.
func networkKind(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return ""
	}
	return networkKindOf(unix.ByteSliceToString(fs.Fstypename[:]))
}

// networkKindOf names a network file system by the name that statfs(2) gives. FUSE is not among them: nothing
// tells sshfs from those that are local.
func networkKindOf(name string) string {
	return map[string]string{
		"nfs":    "nfs",
		"smbfs":  "smb",
		"cifs":   "cifs",
		"afpfs":  "afp",
		"webdav": "webdav",
		"afs":    "afs",
	}[name]
}
