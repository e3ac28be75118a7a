//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
)

// An example shows the same in its own folder, in a shell with variables for handoff.
func TestExamples_RunInAnyDirectory(t *testing.T) {
	seen, err := os.ReadFile(filepath.Join(examples, "human", "seen.txt"))
	require.NoError(t, err)
	require.Equal(t, string(seen), runExample(t, "cd human; export HANDOFF_AGENT=qa HANDOFF_JSON=true; sh play.sh"))
}

// A user may interrupt an example, or close its output.
func TestExamples_LeaveNoFilesWhenInterrupted(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	for _, script := range []string{"approval.sh", "pipeline.sh", "human/play.sh"} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(script+" "+s.String(), func(t *testing.T) {
				if signal.Ignored(s) {
					t.Skip("who started the tests has this signal ignored, and so does the example")
				}
				p := playing(t, script)
				p.signal(s)
				p.endsWell()
			})
		}
		t.Run(script+" not read", func(t *testing.T) {
			p := playing(t, script)
			require.NoError(t, p.out.Close())
			require.NoError(t, p.pause.Close())
			p.endsWell()
		})
	}
}

// endsWell waits for the end and looks for remains.
func (p play) endsWell() {
	p.Helper()
	require.Error(p, p.cmd.Wait())
	left, err := os.ReadDir(p.temp)
	require.NoError(p, err)
	require.Empty(p, left)
}

// A play is an example that is under way, in a group of processes as a terminal has it.
type play struct {
	testing.TB
	cmd   *exec.Cmd
	out   io.Closer
	pause io.Closer
	temp  string // where it keeps its files
}

// playing starts an example, and returns when it has come to a command that waits for the end of the pause.
func playing(t *testing.T, script string) play {
	t.Helper()
	bin, temp := t.TempDir(), t.TempDir()
	pause := filepath.Join(bin, "pause")
	require.NoError(t, syscall.Mkfifo(pause, 0o600))
	waits := "#!/bin/sh\ncase $1 in approve | history) exec cat '" + pause + "' ;; esac\nexec " + commandtest.Program + ` "$@"` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "handoff"), []byte(waits), 0o700))
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(examples, script))
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + temp, "TMPDIR=" + temp, "GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	begun, err := os.OpenFile(pause, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = begun.Close() }) // it may be closed
	return play{t, cmd, out, begun, temp}
}

func (p play) signal(s syscall.Signal) {
	p.Helper()
	require.NoError(p, syscall.Kill(-p.cmd.Process.Pid, s))
}
