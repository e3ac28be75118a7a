package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

// scriptVariable is the name of a variable with a shell script. If it is set, this test binary acts as the tests of a
// package whose only test runs the script.
const scriptVariable = "SANDBOX_TEST_CHILD"

type testFunc func() int

func (t testFunc) Run() int { return t() }

func TestMain(m *testing.M) {
	script := os.Getenv(scriptVariable)
	if script == "" {
		os.Exit(sandbox.New(m).Run())
	}
	sandboxed := sandbox.New(testFunc(func() int {
		cmd := exec.Command("sh", "-c", script)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if cmd.Run() != nil {
			return 1
		}
		return 0
	}))
	os.Exit(sandboxed.Run())
}

// commandInUserHome returns a command that runs this test binary with the script, for a user who has a home, a PATH
// with installed programs, and a temporary directory. The result dir is the directory with these three.
func commandInUserHome(t *testing.T, script string) (cmd *exec.Cmd, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	dir = t.TempDir()
	for _, name := range []string{"bin", "home/go/telemetry", "tmp"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "home", "go", "telemetry", "mode"), []byte("off\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "handoff"), []byte("#!/bin/sh\n"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "home", ".gitconfig"), []byte("[broken\n"), 0o600))
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = []string{
		scriptVariable + "=" + script, "PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"), "HANDOFF_AGENT=me", "HANDOFF_PROOFS=1",
	}
	return cmd, dir
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

func TestSandbox_HidesProgramsAndSettingsOfUser(t *testing.T) {
	cmd, dir := commandInUserHome(t, `! command -v handoff && git config user.name && echo "$HANDOFF_AGENT$XDG_CONFIG_HOME$HANDOFF_PROOFS" && cd && pwd && mktemp -u`)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(string(out), "\n")
	require.Equal(t, []string{"dev", "1"}, lines[:2])
	require.Equal(t, filepath.Join(dir, "tmp"), filepath.Dir(filepath.Dir(lines[2])), "home")
	require.Equal(t, filepath.Dir(lines[2]), filepath.Dir(lines[3]), "temporary directory")
	require.True(t, isEmpty(filepath.Join(dir, "tmp")))
}

func TestSandbox_FailsIfTestsLeaveFiles(t *testing.T) {
	cmd, dir := commandInUserHome(t, `mktemp >/dev/null`)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "left behind in the temporary directory: tmp.")
	require.True(t, isEmpty(filepath.Join(dir, "tmp")))
}

func TestSandbox_IsRemovedWhenTestsAreKilled(t *testing.T) {
	cmd, dir := commandInUserHome(t, `kill -9 $PPID`)
	require.Error(t, cmd.Run())
	require.Eventually(t, func() bool { return isEmpty(filepath.Join(dir, "tmp")) }, time.Minute, time.Millisecond)
}
