//go:build unix

package relay

import (
	"fmt"
	"os"
	"syscall"
)

// fileID tells one file from all others of this machine, also from a copy of it. It is empty where there is
// none, or the system does not tell.
func fileID(path string) string {
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
