//go:build linux

package main

import (
	"bufio"
	"fmt"
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

// These tests are about servers as processes, and about clients that do to them what clients do.

// server is a command that is or runs a server, with the streams that it was not given.
func (p home) server(name string, args ...string) *server {
	p.t.Helper()
	log, err := os.Create(filepath.Join(p.t.TempDir(), "stderr"))
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, log.Close()) })
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Env = p.environ()
	cmd.Stderr = log
	return &server{t: p.t, cmd: cmd, log: log}
}

// behind is a server whose client is a shell, which runs it as "$@" in a process group for the two.
func (p home) behind(script string) *server {
	s := p.server("sh", "-c", script, "sh", program, "mcp", "--workspace", "w")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return s
}

// start starts it and says hello. An answer that does not come within half a minute is none.
func (s *server) start(protocol string) *server {
	s.t.Helper()
	if s.cmd.Stdin == nil {
		in, err := s.cmd.StdinPipe()
		require.NoError(s.t, err)
		s.in = in
	}
	if s.cmd.Stdout == nil {
		out, err := s.cmd.StdoutPipe()
		require.NoError(s.t, err)
		s.out = out
	}
	require.NoError(s.t, s.out.(*os.File).SetReadDeadline(time.Now().Add(30*time.Second)))
	s.r = bufio.NewReader(s.out)
	require.NoError(s.t, s.cmd.Start())
	s.ask("initialize", fmt.Sprintf(`{"protocolVersion": %q, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}`, protocol))
	return s
}

const recent = "2025-06-18"

// child is the process that the shell of the server runs.
func (s *server) child() int {
	s.t.Helper()
	pid := s.cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	require.NoError(s.t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(children)))
	require.NoError(s.t, err)
	return child
}

func group(t *testing.T, pid int) int {
	t.Helper()
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	return group
}

func TestAServerLeavesTheGroupOfItsClient(t *testing.T) {
	s := newHome(t).behind(`"$@"; :`).start(recent)
	require.Equal(t, s.cmd.Process.Pid, group(t, s.cmd.Process.Pid))
	require.Equal(t, s.child(), group(t, s.child()))
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
}

// What a terminal sends for Ctrl-C and Ctrl-Z reaches the whole group of the client.
func TestCtrlCAndCtrlZAreForTheClient(t *testing.T) {
	s := newHome(t).behind(`trap : INT TSTP; "$@"; :`).start(recent)
	for _, key := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGINT} {
		require.NoError(t, syscall.Kill(-s.cmd.Process.Pid, key))
		s.ask("ping", "{}")
	}
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
}

// It could not read from the terminal outside of its group.
func TestAServerThatIsTypedToStaysInItsGroup(t *testing.T) {
	s := newHome(t).atTerminal(nil)
	require.Equal(t, group(t, os.Getpid()), group(t, s.cmd.Process.Pid))
	s.hangUp()
	require.Contains(t, s.said(), "Ctrl-D ends it")
}

// atTerminal is a server that reads from a terminal, and so has something to say on stderr.
func (p home) atTerminal(stderr *os.File) *server {
	p.t.Helper()
	person, terminal := openTerminal(p.t)
	s := p.server(program, "mcp", "--workspace", "w")
	s.in, s.cmd.Stdin = person, terminal
	if stderr != nil {
		s.cmd.Stderr = stderr
	}
	return s.start(recent)
}

// hangUp types Ctrl-D.
func (s *server) hangUp() {
	s.t.Helper()
	_, err := s.in.Write([]byte{4})
	require.NoError(s.t, err)
	require.Zero(s.t, s.ended())
}

func TestServerGoesOnWhenNobodyReadsItsLog(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, r, w *os.File){
		"closed": func(t *testing.T, r, _ *os.File) { require.NoError(t, r.Close()) },
		"full": func(t *testing.T, _, w *os.File) {
			require.NoError(t, w.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
			_, err := w.Write(make([]byte, 1<<20))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			prepare(t, r, w)
			s := newHome(t).atTerminal(w)
			s.ask("ping", "{}")
			s.hangUp()
		})
	}
}

// In a group of its own it is in the background of the terminal, if it has one.
func TestServerWritesToATerminalThatStopsBackgroundWriters(t *testing.T) {
	person, terminal := openTerminal(t)
	stopWriters(t, terminal)
	s := newHome(t).behind(`"$@"; :`)
	s.cmd.Stdout, s.out = terminal, person
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	s.start(recent)
	s.ask("ping", "{}")
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
}

// Whoever has the other end of its input keeps that open: here the test.
func TestAServerEndsWhenItsClientIsGone(t *testing.T) {
	t.Parallel() // it takes as long as a server takes to look
	p := newHome(t)
	s := p.behind(`"$@"; :`).start(recent)
	require.Contains(t, s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.NoError(t, s.cmd.Process.Kill())
	_, err := io.Copy(io.Discard, s.out)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(p.state, "handoff", "w", "owner.json"))
	require.Equal(t, -1, s.ended())
}

func TestSignalsThatEndAServer(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			unignored(t, sig)
			p := newHome(t)
			s := p.serve()
			require.Contains(t, s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
			require.NoError(t, s.cmd.Process.Signal(sig))
			require.Zero(t, s.ended(), "%s", s.said())
			require.NoFileExists(t, filepath.Join(p.state, "handoff", "w", "owner.json"))
		})
	}
}

func TestAServerBelowNohupOutlivesItsTerminal(t *testing.T) {
	s := newHome(t).behind(`trap "" HUP; exec "$@"`).start(recent)
	require.True(t, ignores(t, s.cmd.Process.Pid, syscall.SIGHUP))
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
}

func ignores(t *testing.T, pid int, sig syscall.Signal) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(status), "\nSigIgn:")
	require.True(t, ok)
	ignored, err := strconv.ParseUint(strings.Fields(rest)[0], 16, 64)
	require.NoError(t, err)
	return ignored&(1<<(sig-1)) != 0
}

// stuck is a server that cannot end by itself: its client takes only the beginning of an answer that no pipe
// holds.
func stuck(t *testing.T) *server {
	t.Helper()
	const batches = "2025-03-26"
	s := newHome(t).server(program, "mcp", "--workspace", "w").start(batches)
	lists := strings.Repeat(`{"jsonrpc":"2.0","id":2,"method":"tools/list"},`, 100)
	_, err := fmt.Fprintf(s.in, "[%s]\n", strings.TrimSuffix(lists, ","))
	require.NoError(t, err)
	_, err = s.r.Peek(1)
	require.NoError(t, err)
	return s
}

func TestASignalThatComesAgainEndsAServerAtOnce(t *testing.T) {
	s := stuck(t)
	ended := make(chan int, 1)
	go func() { ended <- s.ended() }()
	again := time.NewTicker(time.Millisecond) // two that are sent at once may arrive as one
	defer again.Stop()
	for {
		select {
		case code := <-ended:
			require.Equal(t, 128+int(syscall.SIGTERM), code)
			return
		case <-again.C:
			_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		}
	}
}

func TestAServerThatIsStuckEndsAllTheSame(t *testing.T) {
	t.Parallel() // it takes as long as answers may take
	s := stuck(t)
	require.NoError(t, s.in.Close())
	require.Equal(t, 1, s.ended())
}

func TestServeStaysInItsGroup(t *testing.T) {
	keeper, _ := newHome(t).keep("serve", "--workspace", "w")
	require.Equal(t, group(t, os.Getpid()), group(t, keeper.Process.Pid))
	require.NoError(t, keeper.Process.Signal(syscall.SIGTERM))
	require.NoError(t, keeper.Wait())
}
