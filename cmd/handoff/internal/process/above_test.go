package process_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/process"
)

const above = "PROCESS_TEST_ABOVE" // in the environment: print the processes above

func TestMain(m *testing.M) {
	if os.Getenv(above) == "" {
		os.Exit(m.Run())
	}
	for _, pid := range process.Above() {
		os.Stdout.WriteString(strconv.Itoa(pid) + " ")
	}
}

func TestTheProcessesAbove(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	shell := exec.Command("sh", "-c", `echo $$; "$0"; true`, program)
	shell.Env = append(os.Environ(), above+"=yes")
	out, err := shell.Output()
	require.NoError(t, err)
	lines := strings.Split(string(out), "\n")
	pids := strings.Fields(lines[1])
	require.Equal(t, []string{lines[0], strconv.Itoa(os.Getpid())}, pids[:2])
	require.NotContains(t, pids, "1")
}
