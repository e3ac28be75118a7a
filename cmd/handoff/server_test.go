package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

// A home is a state directory, and commands in it.
type home struct {
	t     *testing.T
	state string
}

func newHome(t *testing.T) home { return home{t, t.TempDir()} }

// run runs a command in this process.
func (p home) run(args ...string) (code int, out, errs string) {
	p.t.Helper()
	return p.runWith(nil, args...)
}

// runWith runs it with more variables in its environment.
func (p home) runWith(vars map[string]string, args ...string) (code int, out, errs string) {
	p.t.Helper()
	return execute(p.t.Context(), cli.Env{Cwd: p.state}, with(p.state, vars), append(args, "--workspace", "w")...)
}

// must runs a command that has to succeed.
func (p home) must(args ...string) string {
	p.t.Helper()
	code, out, errs := p.run(args...)
	require.Zero(p.t, code, errs)
	return out
}

// A server is "handoff mcp" as a process, and its client.
type server struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
	log *os.File
	r   *bufio.Reader
	n   int

	hello string // what it answered to initialize
}

func (p home) serve(args ...string) *server {
	p.t.Helper()
	return p.serveFor("codex-mcp-client", nil, args...)
}

// serveFor starts it for a client that calls itself so, with more variables in its environment.
func (p home) serveFor(client string, vars map[string]string, args ...string) *server {
	p.t.Helper()
	return p.serveBy(client, vars, program, append([]string{"mcp", "--workspace", "w"}, args...)...)
}

// serveBy starts a command that is or runs a server.
func (p home) serveBy(client string, vars map[string]string, name string, args ...string) *server {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Env = []string{"XDG_STATE_HOME=" + p.state, "PATH=" + os.Getenv("PATH")}
	for name, value := range vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	log, err := os.Create(filepath.Join(p.t.TempDir(), "stderr"))
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, log.Close()) })
	cmd.Stderr = log
	s := &server{t: p.t, cmd: cmd, in: in, out: out, log: log, r: bufio.NewReader(out)}
	require.NoError(p.t, cmd.Start())
	s.hello = s.ask("initialize", fmt.Sprintf(`{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": %q, "version": "1"}}`, client))
	return s
}

// ask makes a request and gives the result.
func (s *server) ask(method, params string) string {
	s.t.Helper()
	s.n++
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.n, method, params)
	require.NoError(s.t, err)
	for {
		line, err := s.r.ReadBytes('\n')
		require.NoError(s.t, err, "%s", s.said())
		var answer struct {
			ID     *int
			Result json.RawMessage
		}
		require.NoError(s.t, json.Unmarshal(line, &answer))
		if answer.ID != nil && *answer.ID == s.n {
			return string(answer.Result)
		}
	}
}

// ended waits for the process and gives its exit status, -1 if a signal ended it.
func (s *server) ended() int {
	_ = s.cmd.Wait() // the status says it better
	return s.cmd.ProcessState.ExitCode()
}

// said is what the server logged.
func (s *server) said() string {
	s.t.Helper()
	b, err := os.ReadFile(s.log.Name())
	require.NoError(s.t, err)
	return string(b)
}

func TestServerServesCommandsUntilItsInputEnds(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	require.Contains(t, s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.Contains(t, p.must("claim", "--agent", "qa"), "ho_1 Test it, from codex")
	require.FileExists(t, filepath.Join(p.state, "handoff", "w", "owner.json"))

	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended(), "%s", s.said())
	require.NoFileExists(t, filepath.Join(p.state, "handoff", "w", "owner.json"))
	require.Contains(t, p.must("show", "1"), "From: codex → To: qa", "the client's name is the one of its shell")
}

func TestServerActsUnderTheNameOfItsFlag(t *testing.T) {
	p := newHome(t)
	s := p.serve("--agent", "reviewer")
	require.Contains(t, s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
	require.Contains(t, p.must("show", "1"), "From: reviewer → To: qa")
}

func TestServerEndsWithSIGTERM(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, s.ended(), "%s", s.said())
	p.must("list")
}

func TestServerEndsWhenItsClientNoLongerReads(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	require.NoError(t, s.out.Close())
	_, err := fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":99,"method":"tools/list","params":{}}`)
	require.NoError(t, err)
	require.Zero(t, s.ended(), "%s", s.said())
}

func TestServerThatWasKilledLeavesNothingInTheWay(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	require.Contains(t, s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.NoError(t, s.cmd.Process.Kill())
	require.Equal(t, -1, s.ended())
	require.Contains(t, p.must("list"), "Test it")
	require.NoFileExists(t, filepath.Join(p.state, "handoff", "w", "owner.json"))
}

func TestServerThatCannotStartSaysWhy(t *testing.T) {
	p := newHome(t)
	code, _, errs := p.run("mcp", "--agent", "human")
	require.Equal(t, 4, code)
	require.True(t, strings.HasPrefix(errs, "handoff: "), errs)
}
