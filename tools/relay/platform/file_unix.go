//go:build unix

package platform

import (
	"fmt"
	"os"
	"syscall"
)

// FileID is different for any two files of this machine that exist at the same time, also for a file and its copy. It
// is empty when there is no such file, and where the system does not tell.
func FileID(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
}
