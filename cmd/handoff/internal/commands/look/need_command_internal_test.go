//go:build unix

package look

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// commandBench runs a command for concerns in a directory, and keeps its output.
type commandBench struct {
	needCommand
	t   *testing.T
	out bytes.Buffer
}

func newCommandBench(t *testing.T, line string) *commandBench {
	b := &commandBench{t: t}
	b.needCommand = needCommand{
		Line: line, Limit: time.Minute, Dir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH"), "MINE=kept"},
		Stdout: &b.out, Stderr: io.Discard,
	}
	return b
}

func (b *commandBench) runOnce() error {
	return b.run(b.t.Context(), []string{"THING=one"}, []byte(`{"n":7}`+"\n"))
}

func TestNeedCommand_GetsInputAndEnvironment(t *testing.T) {
	b := newCommandBench(t, "cat; echo $MINE $THING")
	require.NoError(t, b.runOnce())
	require.Equal(t, "{\"n\":7}\nkept one\n", b.out.String())
}

func TestNeedCommand_MayIgnoreInput(t *testing.T) {
	b := newCommandBench(t, "exec <&-; echo done")
	require.NoError(t, b.run(t.Context(), nil, bytes.Repeat([]byte("x"), 1<<20)))
	require.Equal(t, "done\n", b.out.String())
}

func TestNeedCommand_FailureIsAnError(t *testing.T) {
	require.EqualError(t, newCommandBench(t, "exit 3").runOnce(), "exit status 3")
	require.EqualError(t, newCommandBench(t, "kill -9 $$").runOnce(), "signal: killed")
	b := newCommandBench(t, "true")
	b.Dir = filepath.Join(b.Dir, "nowhere")
	require.ErrorContains(t, b.runOnce(), "start the shell: ")
}

func TestNeedCommand_TimeoutKillsChildren(t *testing.T) {
	b := newCommandBench(t, "trap '' TERM; sleep 60 & echo $!; wait")
	b.Limit = time.Second
	require.EqualError(t, b.runOnce(), "not done after 1s")
	b.requireProcessEnded()
}

// requireProcessEnded checks that the process with the printed number has ended. It was reaped, or is about to be.
func (b *commandBench) requireProcessEnded() {
	b.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(b.out.String()))
	require.NoError(b.t, err)
	require.Eventually(b.t, func() bool {
		state, err := exec.CommandContext(b.t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		return err != nil || strings.HasPrefix(string(state), "Z")
	}, time.Minute, 10*time.Millisecond)
}

// A process that a command leaves may keep writing to our output.
func TestNeedCommand_MayLeaveProcessRunning(t *testing.T) {
	b := newCommandBench(t, "sleep 60 & echo $!")
	require.NoError(t, b.runOnce())
	pid, err := strconv.Atoi(strings.TrimSpace(b.out.String()))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// Ctrl-C ends the process that runs the command, but not the command.
func TestNeedCommand_OutlivesContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	b := newCommandBench(t, "echo done")
	require.NoError(t, b.run(ctx, nil, nil))
	require.Equal(t, "done\n", b.out.String())
}
