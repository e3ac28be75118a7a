//go:build unix

package relay

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

// Some tests need a process of their own, to kill it or to run it as another user: this binary again, started to run
// one of children instead of tests. They are white box, because no caller sees locks and sockets.
const childVariable = "RELAY_TEST_CHILD"

// children run in a directory that they also get as an argument. Their result is their exit status.
var children = map[string]func(dir string) int{
	"lock":     holdLock,
	"wait":     waitForLock,
	"listen":   listenUntilKilled,
	"knock":    dialAsNobody,
	"impostor": listenAsNobody,
}

func TestMain(m *testing.M) {
	if child := os.Getenv(childVariable); child != "" {
		dir, err := os.Getwd()
		if err != nil {
			panic(err)
		}
		os.Exit(children[child](dir))
	}
	os.Exit(sandbox.New(m).Run())
}

// start starts a child that ends with the test and returns its lines.
func start(t *testing.T, child, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childVariable+"="+child)
	cmd.Stderr = os.Stderr
	_, err = cmd.StdinPipe() // a child that waits for its end does not outlive this process
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// requireLine reads the next line of a child.
func requireLine(t *testing.T, want string, lines *bufio.Scanner) {
	t.Helper()
	require.True(t, lines.Scan(), "the child ended")
	require.Equal(t, want, lines.Text())
}

// kill ends a child without any chance to clean up.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "it was killed")
}
