//go:build linux

package checks_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/tools/platform/platformtest"
)

// If any of the processes is killed, no process of the command continues, and the next run works.
func TestRun_LeavesNoProcessWhenKilled(t *testing.T) {
	for name, kill := range map[string]func(run, supervisor int) error{
		"who runs it is told to end": func(run, _ int) error { return syscall.Kill(run, syscall.SIGTERM) },
		"who runs it is killed":      func(run, _ int) error { return syscall.Kill(run, syscall.SIGKILL) },
		"the supervisor is killed":   func(_, supervisor int) error { return syscall.Kill(supervisor, syscall.SIGKILL) },
		"both are killed": func(run, supervisor int) error {
			for _, end := range []struct {
				pid int
				by  syscall.Signal
			}{{run, syscall.SIGSTOP}, {supervisor, syscall.SIGKILL}, {run, syscall.SIGKILL}} {
				if err := syscall.Kill(end.pid, end.by); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestRepository(t, "checks: {test: sh slow.sh}\n")
			s.runner.Dir = filepath.Join(filepath.Dir(s.dir), "state", "handoff", ".checks")
			s.allowChecks()
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(s.dir), "state"))
			begun := make(chan struct{})
			child := platformtest.NewChild(t, func() { close(begun) })
			daemon := fmt.Sprintf("setsid sh -c %q &\nsleep 60", child.StartLine()+"wait")
			commit := s.commit(map[string]string{"slow.sh": daemon})
			run := exec.CommandContext(t.Context(), commandtest.Program, "checks", "run", "--base", s.base, "--commit", commit)
			run.Dir = s.dir
			require.NoError(t, run.Start())
			<-begun
			supervisor := supervisorOf(t, run.Process.Pid)
			require.NoError(t, kill(run.Process.Pid, supervisor))
			require.Error(t, run.Wait())
			require.Eventually(t, func() bool { return hasEnded(supervisor) }, commandtest.Patience, time.Millisecond) // it has the tree until then
			seen := s.runChecks(s.base, "test")
			require.True(t, seen.Observed[0].Passed, "%v", seen)
			child.RequireEnd(t)
			require.Empty(t, processesBelow(t, s.dir))
			require.Eventually(t, func() bool {
				left, err := os.ReadDir(os.TempDir())
				return err == nil && len(left) == 0
			}, commandtest.Patience, 10*time.Millisecond)
		})
	}
}

// A command that kills its supervisor gets no observation. Its processes end, even if they have no environment variable
// that marks them.
func TestRun_ObservesNothingIfCommandKillsSupervisor(t *testing.T) {
	for name, end := range map[string]string{
		"killed":                     "kill -9 $PPID",
		"with the one above it":      "kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) $PPID",
		"stopped, the other killed":  "kill -STOP $PPID; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat)",
		"killed, with a word before": `echo '{"Exit":0}' >/proc/$PPID/fd/1; kill -9 $PPID`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestRepository(t, "checks: {test: {run: exec sh end.sh, timeout: 10s}}\n")
			s.allowChecks()
			child := platformtest.NewChild(t, func() {})
			commit := s.commit(map[string]string{"end.sh": fmt.Sprintf("(env -i PATH=$PATH setsid sh -c %q &)\nuntil test -e up; do sleep 0.01; done; %s; sleep 60\n",
				strings.TrimSpace(child.StartLine())+"; touch up; wait", end)})
			seen := s.runChecks(commit, "test")
			require.Empty(t, seen.Observed)
			require.Contains(t, seen.Unobserved["test"], "the supervisor of the command did not end by itself: signal: killed")
			child.RequireEnd(t)
		})
	}
}

// hasEnded reports whether a process is gone, or waits for its parent alone.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// supervisorOf returns the process that a run started to supervise its command.
func supervisorOf(t *testing.T, run int) (pid int) {
	t.Helper()
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", run))
	require.NoError(t, err)
	for _, file := range children {
		pids, err := os.ReadFile(file)
		require.NoError(t, err)
		for child := range strings.FieldsSeq(string(pids)) {
			_, err := fmt.Sscan(child, &pid)
			require.NoError(t, err)
		}
	}
	require.NotZero(t, pid)
	return pid
}
