package files

import "io/fs"

// isOwn is false: the directory of the file that the proposal names is one of Unix.
func isOwn(fs.FileInfo) bool { return false }
