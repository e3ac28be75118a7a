//go:build linux

package relay

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireInLine waits until n processes sleep in the kernel for a lock.
func requireInLine(t *testing.T, path string, n int) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	waiter := regexp.MustCompile(fmt.Sprintf(`-> FLOCK .*:%d `, info.Sys().(*syscall.Stat_t).Ino))
	for t.Context().Err() == nil {
		locks, err := os.ReadFile("/proc/locks")
		require.NoError(t, err)
		if len(waiter.FindAll(locks, -1)) == n {
			return
		}
		runtime.Gosched()
	}
}
