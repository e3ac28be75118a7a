package platform_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

func TestProcessExists_IsTrueForRunningProcess(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program, "-test.run=^$")
	require.NoError(t, cmd.Run())
	require.False(t, platform.ProcessExists(cmd.Process.Pid), "it was waited for")
	require.True(t, platform.ProcessExists(os.Getpid()))
	require.True(t, platform.ProcessExists(os.Getppid()))
	require.False(t, platform.ProcessExists(0))
	require.False(t, platform.ProcessExists(-1))
}

// A process that checks every few seconds for hours would otherwise keep its handles until memory is collected.
func TestProcessExists_LeavesNothingOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing tells what is open")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(files)
	}
	require.True(t, platform.ProcessExists(os.Getpid()))
	before := open()
	for range 100 {
		platform.ProcessExists(os.Getpid())
	}
	require.Equal(t, before, open())
}

func TestBootID_IsKnownOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing tells here when the system started")
	}
	require.Len(t, platform.BootID(), 36)
}
