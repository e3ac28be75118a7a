//go:build unix

package onevent_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/onevent"
	"handoff/schemas"
)

var happened = schemas.Change{
	Event:    schemas.Event{N: 7, Handoff: 3, Agent: "qa", Action: "completed", To: schemas.Completed},
	Workflow: "wf_login", Box: "role:testing", Title: `"; touch owned; $(touch owned) '`,
}

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
	return b.Run(b.t.Context(), onevent.Variables(happened), []byte(`{"n":7}`+"\n"))
}

func TestACommandGetsTheEvent(t *testing.T) {
	b := newBench(t, "cat; echo $MINE; env | grep ^HANDOFF_ | sort")
	require.NoError(t, b.run())
	require.Equal(t, `{"n":7}
kept
HANDOFF_EVENT_ACTION=completed
HANDOFF_EVENT_AGENT=qa
HANDOFF_EVENT_BOX=role:testing
HANDOFF_EVENT_HANDOFF=ho_3
HANDOFF_EVENT_N=7
HANDOFF_EVENT_NEEDS=
HANDOFF_EVENT_STATUS=completed
HANDOFF_EVENT_WORKFLOW=wf_login
`, b.out.String())
}

// The command line is that of the user, whatever agents wrote; what only they wrote is not in the environment.
func TestTextOfAnEventIsNotRun(t *testing.T) {
	b := newBench(t, "env; pwd")
	require.NoError(t, b.run())
	require.NotContains(t, b.out.String(), "touch")
	entries, err := os.ReadDir(b.Dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestACommandNeedNotRead(t *testing.T) {
	b := newBench(t, "exec <&-; echo done")
	require.NoError(t, b.Run(t.Context(), onevent.Variables(happened), bytes.Repeat([]byte("x"), 1<<20)))
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
	b := newBench(t, "sleep 60 & echo $!; wait")
	b.Limit = 100 * time.Millisecond
	require.EqualError(t, b.run(), "not done after 100ms")
	b.gone()
}

func TestCommandThatIgnoresItsSignalIsKilled(t *testing.T) {
	b := newBench(t, "trap '' TERM; sleep 60 & echo $!; wait; wait")
	b.Limit, b.Grace = 100*time.Millisecond, 100*time.Millisecond
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
	b.Grace = 200 * time.Millisecond
	require.NoError(t, b.run())
	pid, err := strconv.Atoi(strings.TrimSpace(b.out.String()))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// A teller calls when it is written to.
type teller func(text string)

func (say teller) Write(p []byte) (int, error) {
	say(string(p))
	return len(p), nil
}

func interrupt(t *testing.T, s syscall.Signal) { require.NoError(t, syscall.Kill(os.Getpid(), s)) }

func TestASignalIsPassedOnAndTheCommandWaitedFor(t *testing.T) {
	for name, s := range map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := signal.NotifyContext(t.Context(), s)
			defer stop()
			b := newBench(t, "trap 'echo told; kill $!; exit 0' "+name+"; sleep 60 >&2 & echo ready; wait")
			b.Stdout = teller(func(text string) {
				b.out.WriteString(text)
				if text == "ready\n" {
					interrupt(t, s)
				}
			})
			require.NoError(t, b.Run(ctx, onevent.Variables(happened), nil))
			require.Equal(t, "ready\ntold\n", b.out.String())
		})
	}
}

func TestASecondSignalKills(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b := newBench(t, "trap 'echo told' TERM; echo ready; while :; do sleep 60 & wait; done")
	b.Stdout = teller(func(text string) {
		switch text {
		case "ready\n":
			stop()
		case "told\n":
			interrupt(t, syscall.SIGTERM)
		}
	})
	require.EqualError(t, b.Run(ctx, onevent.Variables(happened), nil), "signal: killed")
}
