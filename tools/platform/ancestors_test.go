package platform_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
	"handoff/tools/platform"
)

const ancestorsVariable = "PROCESS_TEST_ABOVE" // in the environment: print launcher and ancestors

func TestMain(m *testing.M) {
	if os.Getenv(ancestorsVariable) == "" {
		os.Exit(sandbox.New(m).Run())
	}
	fmt.Println(platform.LauncherPID(), platform.AncestorPIDs())
}

func TestAncestorPIDs_ListsParentProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	shell := exec.Command("sh", "-c", `echo $$; "$0"; true`, program)
	shell.Env = append(os.Environ(), ancestorsVariable+"=yes")
	out, err := shell.Output()
	require.NoError(t, err)
	own := strconv.Itoa(os.Getpid())
	lines := strings.Split(string(out), "\n")
	require.True(t, strings.HasPrefix(lines[1], own+" ["+lines[0]+" "+own), "%s is above through shell %s: %s", own, lines[0], lines[1])
	require.NotContains(t, lines[1], "[1 ")
	require.NotContains(t, lines[1], " 1]")
}
