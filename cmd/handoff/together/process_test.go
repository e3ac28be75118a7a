//go:build unix

package together_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process is "handoff mcp" and its client. It always ends with its test: it is killed, and if the test is killed,
// its input ends.
type process struct {
	pid     int
	agent   string          // under which it acts, if it was given a name
	welcome welcome         // the answer to initialize
	meta    json.RawMessage // of each call of a tool

	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr string        // path of its log
	ended  chan struct{} // closed when it was waited for

	writing sync.Mutex // one line at a time
	mu      sync.Mutex // guards the fields below
	asked   int
	waiting map[int]chan<- answer // by the id of the request; nil when no more answers come
}

// begin starts a process; nobody has spoken to it yet.
func (p *place) begin(args ...string) (*process, error) {
	cmd := p.command(append([]string{"mcp"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	log, err := os.CreateTemp(p.logs, "stderr-*")
	if err != nil {
		return nil, err
	}
	cmd.Stderr = log
	err = cmd.Start()
	if closing := log.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	s := &process{
		pid: cmd.Process.Pid, cmd: cmd, in: in, stderr: log.Name(),
		ended: make(chan struct{}), waiting: map[int]chan<- answer{},
	}
	go func() {
		defer close(s.ended)
		s.listen(out)
		_ = cmd.Wait() // the status says it better
	}()
	p.t.Cleanup(func() {
		s.kill()
		<-s.ended
	})
	return s, nil
}

func (s *process) kill()                           { _ = s.cmd.Process.Kill() } // one that has ended cannot be killed, and need not
func (s *process) signal(sig syscall.Signal) error { return s.cmd.Process.Signal(sig) }
func (s *process) hangUp() error                   { return s.in.Close() }

// stop stops the process and waits until it does nothing more: its threads may run on for a moment after the
// signal was sent, and answer.
func (s *process) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.pid)) // where there is none, nothing can be told
		for _, thread := range threads {
			text, err := os.ReadFile(thread)
			if _, state, _ := strings.Cut(string(text), ") "); err == nil && !strings.HasPrefix(state, "T") {
				return false
			}
		}
		return true
	}, time.Minute, time.Millisecond, "it does not stop")
}

// alive reports whether the process has not ended.
func (s *process) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// code waits for the end of the process and gives its exit status, -1 if a signal ended it.
func (s *process) code() int {
	<-s.ended
	return s.cmd.ProcessState.ExitCode()
}

// said returns the log of the process.
func (s *process) said() string {
	text, _ := os.ReadFile(s.stderr)
	return string(text)
}

// String names the process in messages.
func (s *process) String() string { return fmt.Sprintf("process %d", s.pid) }

// endAll ends every process in one of the two orderly ways, which each has to take.
func endAll(t testing.TB, all []*process) {
	t.Helper()
	for i, s := range all {
		if i%2 == 0 {
			require.NoError(t, s.hangUp())
		} else {
			require.NoError(t, s.signal(syscall.SIGTERM))
		}
	}
	for _, s := range all {
		require.Zero(t, s.code(), "%v: %s", s, s.said())
	}
}

// used returns the processor time of a process so far: of all its threads, in nanoseconds if the kernel counts them,
// else in ticks.
func used(t testing.TB, pid int) time.Duration {
	t.Helper()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(threads) == 0 {
		return ticks(t, pid)
	}
	var sum time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		ns, err := strconv.ParseInt(string(bytes.Fields(text)[0]), 10, 64)
		require.NoError(t, err)
		sum += time.Duration(ns)
	}
	return sum
}

// ticks is the user and system time of a process as the kernel shows it: in hundredths of a second.
func ticks(t testing.TB, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("there is no /proc here")
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var sum time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
