//go:build unix

package bolt_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

// Some tests need a process of their own, to kill it or to limit its resources: they start this binary again, to run
// one of children instead of tests.
const childVariable = "BOLT_TEST_CHILD"

// children are functions for child processes. They get the path of a store and return the exit status.
var children = map[string]func(path string) int{
	"write":    writeUntilKilled,
	"hold":     holdUntilKilled,
	"full":     fillUp,
	"readonly": openWithoutRights,
	"cramped":  openWithLittleAddressSpace,
}

func TestMain(m *testing.M) {
	if child := os.Getenv(childVariable); child != "" {
		os.Exit(children[child](os.Args[1]))
	}
	os.Exit(sandbox.New(m).Run())
}

// command prepares a child that ends with the test.
func command(t *testing.T, child, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, path)
	cmd.Env = append(os.Environ(), childVariable+"="+child)
	cmd.Stderr = os.Stderr
	return cmd
}

// start starts a child and returns its lines.
func start(t *testing.T, child, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := command(t, child, path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// background returns the context of a child, which has no test.
func background() context.Context { return context.Background() }
