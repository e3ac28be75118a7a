//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
)

// commands are those that write, as they are tried on a home.
var commands = [][]string{
	{"send", "qa", "Test that, too", "--agent", "dev"},
	{"claim", "--agent", "qa"},
	{"update", "1", "--note", "half", "--agent", "qa"},
	{"complete", "1", "--summary", "passed", "--agent", "qa"},
	{"fail", "1", "no data", "--agent", "qa"},
	{"update", "1", "--ask", "which?", "--agent", "qa"},
	{"cancel", "3", "--agent", "human"},
	{"assign", "3", "qa-2", "--agent", "human"},
	{"redact", "2", "--agent", "human"},
}

// calls are the system calls by which the store writes.
var calls = []string{"pwrite64", "fdatasync", "fsync", "ftruncate"}

// strikes are the injected failures of a system call. A plus fails also all later calls, as on a full or read-only
// disk.
var strikes = []string{"error=EIO:when=%d", "error=EIO:when=%d+", "error=ENOSPC:when=%d+", "error=EROFS:when=%d+", "signal=KILL:when=%d"}

// TestSystemCall_FailureLosesNothing fails each system call of each writing command, one at a time, and kills the
// command there. The command must take effect as a whole or not at all, its output must be true, and the next command
// must find a sound store. HANDOFF_FAULTS=1 tries all calls, a larger number a sample.
func TestSystemCall_FailureLosesNothing(t *testing.T) {
	each := programtest.ProofSize(t, "HANDOFF_FAULTS", 29, 97, strconv.Atoi)
	h := newHome(t)
	before := h.events()
	tried, struck := 0, 0
	for _, args := range commands {
		clean := h.copied()
		trace := clean.traced("trace="+strings.Join(calls, ","), args)
		whole := clean.events()
		require.Greater(t, len(whole), len(before), "%v", args)
		for _, call := range calls {
			for nth := range strings.Count(trace, call+"(") {
				for _, strike := range strikes {
					if tried++; tried%each != 0 {
						continue
					}
					trial := h.copied()
					if trial.strike(before, whole, call+":"+fmt.Sprintf(strike, nth+1), args) {
						struck++
					}
					require.NoError(t, os.RemoveAll(trial.state))
				}
			}
		}
	}
	require.Positive(t, struck)
	t.Logf("%d faults happened; each %d. of %d was tried", struck, each, tried)
}

// TestFullDisk_StillAllowsReading fails all that the only process writes into the directory of the workspace.
func TestFullDisk_StillAllowsReading(t *testing.T) {
	h := newHome(t)
	full := []string{"strace", "-f", "-qq", "-o", filepath.Join(h.state, "trace"), "-e", "inject=write,pwrite64,ftruncate,fallocate:error=ENOSPC"}
	for _, name := range []string{"owner.json.new", "handoff.db", "handoff.log"} {
		full = append(full, "-P", filepath.Join(filepath.Dir(h.file()), name))
	}
	for _, args := range [][]string{{"list", "--all"}, {"show", "2"}, {"audit", "verify"}} {
		have := h.run(full, args...)
		require.Zero(t, have.code, "%v: %s", args, have.errs)
		require.Contains(t, have.errs, "no space left on device", args)
		require.NotEmpty(t, have.out, args)
	}
	have := h.run(full, "send", "qa", "one more", "--agent", "dev")
	require.Equal(t, 7, have.code)
	require.Contains(t, have.errs, "the disk is full")
	require.Len(t, h.events(), 7)
}

// traced runs a command as it is, and gives the system calls of a kind that it made.
func (h home) traced(which string, args []string) string {
	h.Helper()
	trace := filepath.Join(h.state, "trace")
	have := h.run([]string{"strace", "-f", "-qq", "-o", trace, "-e", which}, args...)
	require.Zero(h, have.code, "%v: %s%s", args, have.out, have.errs)
	said, err := os.ReadFile(trace)
	require.NoError(h, err)
	return string(said)
}

// strike runs a command with a fault, and reports whether it happened.
func (h home) strike(before, whole []string, fault string, args []string) (struck bool) {
	h.Helper()
	trace := filepath.Join(h.state, "trace")
	call, _, _ := strings.Cut(fault, ":")
	have := h.run([]string{"strace", "-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e", "inject=" + fault}, args...)
	said, err := os.ReadFile(trace)
	require.NoError(h, err)
	struck = strings.Contains(string(said), "INJECTED") || strings.Contains(string(said), "killed by SIGKILL")
	h.must("list", "--all")
	after := h.events()
	told := fmt.Sprintf("%v with %s: %d\n%s%s", args, fault, have.code, have.out, have.errs)
	switch {
	case have.code == 0:
		require.Equal(h, whole, after, told)
	case !struck:
		require.Fail(h, "it failed by itself", told)
	case len(after) == len(whole):
		require.Equal(h, whole, after, told)
		require.True(h, have.code < 0 || strings.Contains(have.errs, "not known"), told)
	default:
		require.Equal(h, before, after, told)
	}
	if have.code > 0 {
		require.GreaterOrEqual(h, strings.Count(have.errs, "\n"), 2, "a hint on its own line: %s", told)
		require.NotContains(h, have.errs, "goroutine ", told)
	}
	return struck
}
