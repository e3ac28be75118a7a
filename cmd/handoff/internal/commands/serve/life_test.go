//go:build linux

package serve_test

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

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
)

// These tests run servers as processes, and treat them as clients do.

// startServer starts a command that is a server or runs a server, with pipes for its streams.
func startServer(p commandtest.Home, name string, args ...string) *commandtest.Server {
	p.T.Helper()
	log, err := os.Create(filepath.Join(p.T.TempDir(), "stderr"))
	require.NoError(p.T, err)
	p.T.Cleanup(func() { require.NoError(p.T, log.Close()) })
	cmd := exec.CommandContext(p.T.Context(), name, args...)
	cmd.Env = p.Environ()
	cmd.Stderr = log
	return &commandtest.Server{T: p.T, Cmd: cmd, Log: log}
}

// startBehindScript starts a server whose client is a shell. The script of the shell runs the server as "$@". Shell and
// server have one process group.
func startBehindScript(p commandtest.Home, script string) *commandtest.Server {
	s := startServer(p, "sh", "-c", script, "sh", commandtest.Program, "mcp", "--workspace", "w")
	s.Cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return s
}

// initializeServer starts the server and sends the first request. It waits half a minute for the answer.
func initializeServer(s *commandtest.Server, protocol string) *commandtest.Server {
	s.T.Helper()
	if s.Cmd.Stdin == nil {
		in, err := s.Cmd.StdinPipe()
		require.NoError(s.T, err)
		s.In = in
	}
	if s.Cmd.Stdout == nil {
		out, err := s.Cmd.StdoutPipe()
		require.NoError(s.T, err)
		s.Out = out
	}
	require.NoError(s.T, s.Out.(*os.File).SetReadDeadline(time.Now().Add(30*time.Second)))
	s.R = bufio.NewReader(s.Out)
	require.NoError(s.T, s.Cmd.Start())
	s.Request("initialize", fmt.Sprintf(`{"protocolVersion": %q, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}`, protocol))
	return s
}

const recent = "2025-06-18"

// childPID returns the process that the shell of the server runs.
func childPID(s *commandtest.Server) int {
	s.T.Helper()
	pid := s.Cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	require.NoError(s.T, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(children)))
	require.NoError(s.T, err)
	return child
}

func processGroup(t *testing.T, pid int) int {
	t.Helper()
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	return group
}

func TestServer_LeavesProcessGroupOfClient(t *testing.T) {
	t.Parallel()
	s := initializeServer(startBehindScript(commandtest.NewHome(t), `"$@"; :`), recent)
	require.Equal(t, s.Cmd.Process.Pid, processGroup(t, s.Cmd.Process.Pid))
	require.Equal(t, childPID(s), processGroup(t, childPID(s)))
	s.CloseInput()
}

// A terminal sends Ctrl-C and Ctrl-Z to the whole group of the client.
func TestServer_IgnoresCtrlCAndCtrlZOfClient(t *testing.T) {
	t.Parallel()
	s := initializeServer(startBehindScript(commandtest.NewHome(t), `trap : INT TSTP; "$@"; :`), recent)
	for _, key := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGINT} {
		require.NoError(t, syscall.Kill(-s.Cmd.Process.Pid, key))
		s.Request("ping", "{}")
	}
	s.CloseInput()
}

// Outside of the foreground process group the server could not read from the terminal.
func TestServer_AtTerminalStaysInProcessGroup(t *testing.T) {
	t.Parallel()
	s := startAtTerminal(commandtest.NewHome(t), nil)
	require.Equal(t, processGroup(t, os.Getpid()), processGroup(t, s.Cmd.Process.Pid))
	hangUp(s)
	require.Contains(t, s.LogOutput(), "Ctrl-D ends it")
}

// startAtTerminal starts a server that reads from a terminal, and so writes a note to stderr.
func startAtTerminal(p commandtest.Home, stderr *os.File) *commandtest.Server {
	p.T.Helper()
	person, terminal := commandtest.OpenTerminal(p.T)
	s := startServer(p, commandtest.Program, "mcp", "--workspace", "w")
	s.In, s.Cmd.Stdin = person, terminal
	if stderr != nil {
		s.Cmd.Stderr = stderr
	}
	return initializeServer(s, recent)
}

// hangUp types Ctrl-D.
func hangUp(s *commandtest.Server) {
	s.T.Helper()
	_, err := s.In.Write([]byte{4})
	require.NoError(s.T, err)
	require.Zero(s.T, s.Wait())
}

func TestServer_GoesOnWithoutReaderOfLog(t *testing.T) {
	t.Parallel()
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
			s := startAtTerminal(commandtest.NewHome(t), w)
			s.Request("ping", "{}")
			hangUp(s)
		})
	}
}

// In a group of its own the server is in the background of its terminal.
func TestServer_WritesToTerminalWithTostop(t *testing.T) {
	t.Parallel()
	person, terminal := commandtest.OpenTerminal(t)
	setTostop(t, terminal)
	s := startBehindScript(commandtest.NewHome(t), `"$@"; :`)
	s.Cmd.Stdout, s.Out = terminal, person
	s.Cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	initializeServer(s, recent)
	s.Request("ping", "{}")
	s.CloseInput()
}

// The other end of the server's input stays open: the test holds it.
func TestServer_EndsWithClient(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	t.Parallel() // the server checks its client from time to time
	p := commandtest.NewHome(t)
	s := initializeServer(startBehindScript(p, `"$@"; :`), recent)
	require.Contains(t, s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.NoError(t, s.Cmd.Process.Kill())
	_, err := io.Copy(io.Discard, s.Out)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(p.State, "handoff", "w", "owner.json"))
	require.Equal(t, -1, s.Wait())
}

func TestServer_EndsOnSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			stopIgnoring(t, sig)
			p := commandtest.NewHome(t)
			s := p.StartServer()
			require.Contains(t, s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
			require.NoError(t, s.Cmd.Process.Signal(sig))
			require.Zero(t, s.Wait(), "%s", s.LogOutput())
			require.NoFileExists(t, filepath.Join(p.State, "handoff", "w", "owner.json"))
		})
	}
}

func TestServer_UnderNohupOutlivesTerminal(t *testing.T) {
	t.Parallel()
	s := initializeServer(startBehindScript(commandtest.NewHome(t), `trap "" HUP; exec "$@"`), recent)
	require.True(t, ignoresSignal(t, s.Cmd.Process.Pid, syscall.SIGHUP))
	s.CloseInput()
}

func ignoresSignal(t *testing.T, pid int, sig syscall.Signal) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(status), "\nSigIgn:")
	require.True(t, ok)
	ignored, err := strconv.ParseUint(strings.Fields(rest)[0], 16, 64)
	require.NoError(t, err)
	return ignored&(1<<(sig-1)) != 0
}

// startStuckServer starts a server that cannot end by itself: its client reads only the beginning of an answer that is
// too long for a pipe.
func startStuckServer(t *testing.T) *commandtest.Server {
	t.Helper()
	s := initializeServer(startServer(commandtest.NewHome(t), commandtest.Program, "mcp", "--workspace", "w"), "2025-11-25")
	_, err := fmt.Fprint(s.In, strings.Repeat(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", 100))
	require.NoError(t, err)
	_, err = s.R.Peek(1)
	require.NoError(t, err)
	return s
}

func TestServer_SecondSignalEndsAtOnce(t *testing.T) {
	s := startStuckServer(t)
	ended := make(chan int, 1)
	go func() { ended <- s.Wait() }()
	again := time.NewTicker(time.Millisecond) // two signals that are sent at once may arrive as one
	defer again.Stop()
	for {
		select {
		case code := <-ended:
			require.Equal(t, 128+int(syscall.SIGTERM), code)
			return
		case <-again.C:
			_ = s.Cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		}
	}
}

func TestServer_WhenStuckEndsAfterTimeout(t *testing.T) {
	t.Parallel() // it takes as long as answers may take
	s := startStuckServer(t)
	require.NoError(t, s.In.Close())
	require.Equal(t, 1, s.Wait())
}

func TestServe_StaysInProcessGroup(t *testing.T) {
	t.Parallel()
	keeper, _ := commandtest.NewHome(t).StartAndKeepOpen("serve", "--workspace", "w")
	require.Equal(t, processGroup(t, os.Getpid()), processGroup(t, keeper.Process.Pid))
	require.NoError(t, keeper.Process.Signal(syscall.SIGTERM))
	require.NoError(t, keeper.Wait())
}
