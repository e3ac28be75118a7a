package process_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/process"
)

func TestWhichProcessesRun(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), above+"=yes")
	require.NoError(t, cmd.Run())
	require.False(t, process.Runs(cmd.Process.Pid), "it was waited for")
	require.True(t, process.Runs(os.Getpid()))
	require.True(t, process.Runs(os.Getppid()))
	require.False(t, process.Runs(0))
	require.False(t, process.Runs(-1))
}

// A process that looks every few seconds for hours would otherwise keep what it looked with until memory is collected.
func TestLookingLeavesNothingOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing tells what is open")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(files)
	}
	require.True(t, process.Runs(os.Getpid()))
	before := open()
	for range 100 {
		process.Runs(os.Getpid())
	}
	require.Equal(t, before, open())
}
