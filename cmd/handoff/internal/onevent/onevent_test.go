//go:build unix

package onevent_test

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

	"handoff/cmd/handoff/internal/onevent"
)

// A bench is a directory in which commands run, and what they print.
type bench struct {
	onevent.Command
	t   *testing.T
	out bytes.Buffer
}

func newBench(t *testing.T, line string) *bench {
	b := &bench{t: t}
	b.Command = onevent.Command{
		Line: line, Limit: time.Minute, Dir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH"), "MINE=kept"},
		Stdout: &b.out, Stderr: io.Discard,
	}
	return b
}

func (b *bench) run() error {
	return b.Run(b.t.Context(), []string{"THING=one"}, []byte(`{"n":7}`+"\n"))
}

func TestACommandGetsItsInputAndEnvironment(t *testing.T) {
	b := newBench(t, "cat; echo $MINE $THING")
	require.NoError(t, b.run())
	require.Equal(t, "{\"n\":7}\nkept one\n", b.out.String())
}

func TestACommandNeedNotRead(t *testing.T) {
	b := newBench(t, "exec <&-; echo done")
	require.NoError(t, b.Run(t.Context(), nil, bytes.Repeat([]byte("x"), 1<<20)))
	require.Equal(t, "done\n", b.out.String())
}

func TestCommandThatFailsIsAnError(t *testing.T) {
	require.EqualError(t, newBench(t, "exit 3").run(), "exit status 3")
	require.EqualError(t, newBench(t, "kill -9 $$").run(), "signal: killed")
	b := newBench(t, "true")
	b.Dir = filepath.Join(b.Dir, "nowhere")
	require.ErrorContains(t, b.run(), "start the shell: ")
}

func TestACommandThatTakesTooLongIsEndedWithAllItStarted(t *testing.T) {
	b := newBench(t, "trap '' TERM; sleep 60 & echo $!; wait")
	b.Limit = 100 * time.Millisecond
	require.EqualError(t, b.run(), "not done after 100ms")
	b.gone()
}

// gone makes sure that the process whose number was printed has ended. It was reaped, or is about to be.
func (b *bench) gone() {
	b.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(b.out.String()))
	require.NoError(b.t, err)
	require.Eventually(b.t, func() bool {
		state, err := exec.CommandContext(b.t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		return err != nil || strings.HasPrefix(string(state), "Z")
	}, 10*time.Second, 10*time.Millisecond)
}

// What a command leaves running may go on with our output.
func TestACommandMayLeaveSomethingRunning(t *testing.T) {
	b := newBench(t, "sleep 60 & echo $!")
	require.NoError(t, b.run())
	pid, err := strconv.Atoi(strings.TrimSpace(b.out.String()))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// Ctrl-C ends who runs the command, and not the command.
func TestACommandIsWaitedForWhenItsCallerIsToEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	b := newBench(t, "echo done")
	require.NoError(t, b.Run(ctx, nil, nil))
	require.Equal(t, "done\n", b.out.String())
}
