package commandtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

// A Home is a state directory for a test. Its commands use the clock of the machine. They run in the process of the
// test or as separate processes.
type Home struct {
	T     *testing.T
	State string
}

// NewHome returns an unused home.
func NewHome(t *testing.T) Home { return Home{t, t.TempDir()} }

// Run runs a command in this process.
func (p Home) Run(args ...string) (code int, out, errs string) {
	p.T.Helper()
	return p.RunWith(nil, args...)
}

// RunWith runs a command in this process with more environment variables.
func (p Home) RunWith(vars map[string]string, args ...string) (code int, out, errs string) {
	p.T.Helper()
	return Execute(p.T.Context(), cli.Env{Cwd: p.State}, StateVars(p.State, vars), append(args, "--workspace", "w")...)
}

// Must runs a command and returns its output. If the command fails, the test fails.
func (p Home) Must(args ...string) string {
	p.T.Helper()
	code, out, errs := p.Run(args...)
	require.Zero(p.T, code, errs)
	return out
}

// A Server is "handoff mcp" as a process, and its client.
type Server struct {
	T   *testing.T
	Cmd *exec.Cmd
	In  io.WriteCloser
	Out io.ReadCloser
	Log *os.File
	R   *bufio.Reader
	n   int

	Hello string // the answer to initialize
}

// StartServer starts a server for Codex.
func (p Home) StartServer(args ...string) *Server {
	p.T.Helper()
	return p.StartServerFor("codex-mcp-client", nil, args...)
}

// StartServerFor starts a server for a client with the given MCP name. The server gets the additional environment
// variables vars.
func (p Home) StartServerFor(client string, vars map[string]string, args ...string) *Server {
	p.T.Helper()
	return p.StartServerCommand(client, vars, Program, append([]string{"mcp", "--workspace", "w"}, args...)...)
}

// StartServerCommand starts a command that is a server or runs a server, and initializes the MCP connection.
func (p Home) StartServerCommand(client string, vars map[string]string, name string, args ...string) *Server {
	p.T.Helper()
	cmd := exec.CommandContext(p.T.Context(), name, args...)
	cmd.Env = p.Environ()
	for name, value := range vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	require.NoError(p.T, err)
	out, err := cmd.StdoutPipe()
	require.NoError(p.T, err)
	log, err := os.Create(filepath.Join(p.T.TempDir(), "stderr"))
	require.NoError(p.T, err)
	p.T.Cleanup(func() { require.NoError(p.T, log.Close()) })
	cmd.Stderr = log
	s := &Server{T: p.T, Cmd: cmd, In: in, Out: out, Log: log, R: bufio.NewReader(out)}
	require.NoError(p.T, cmd.Start())
	s.Hello = s.Request("initialize", fmt.Sprintf(`{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": %q, "version": "1"}}`, client))
	return s
}

// Request sends a request and returns its result.
func (s *Server) Request(method, params string) string {
	s.T.Helper()
	s.n++
	_, err := fmt.Fprintf(s.In, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.n, method, params)
	require.NoError(s.T, err)
	for {
		line, err := s.R.ReadBytes('\n')
		require.NoError(s.T, err, "%s", s.LogOutput())
		var answer struct {
			ID     *int
			Result json.RawMessage
		}
		require.NoError(s.T, json.Unmarshal(line, &answer))
		if answer.ID != nil && *answer.ID == s.n {
			return string(answer.Result)
		}
	}
}

// Wait waits for the end of the process and returns its exit status. The status is -1 if a signal ended the process.
func (s *Server) Wait() int {
	_ = s.Cmd.Wait() // the exit status tells more
	return s.Cmd.ProcessState.ExitCode()
}

// LogOutput returns the log of the server so far.
func (s *Server) LogOutput() string {
	s.T.Helper()
	b, err := os.ReadFile(s.Log.Name())
	require.NoError(s.T, err)
	return string(b)
}

// Environ returns the environment of processes in the home. Its variable GORACE stops the race detector from waiting a
// second at the end of each process. HOME is no path, so the processes have no home directory. Without the variable,
// they would look for the home of the user that runs the tests.
func (p Home) Environ() []string {
	return []string{"XDG_STATE_HOME=" + p.State, "HOME=none", "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
}

// ProcessResult is the result of a process.
type ProcessResult struct {
	Code      int
	Out, Errs string
}

// RunProcess runs handoff as a separate process without a terminal. The process acts as the agent dev in workspace w.
func RunProcess(t *testing.T, state string, prepare func(*exec.Cmd), args ...string) ProcessResult {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Program, args...)
	cmd.Env = append(Home{t, state}.Environ(), "HANDOFF_WORKSPACE=w", "HANDOFF_AGENT=dev")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = "/"
	if prepare != nil {
		prepare(cmd)
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return ProcessResult{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// CloseInput ends the server by ending its input.
func (s *Server) CloseInput() {
	s.T.Helper()
	require.NoError(s.T, s.In.Close())
	require.Zero(s.T, s.Wait(), "%s", s.LogOutput())
}

// Hello is the first line of a client: the request initialize.
const Hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"1"}}}` + "\n"

// ToolCall returns the line with which a client calls a tool.
func ToolCall(id any, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, args)
}

// StartAndKeepOpen starts a command that keeps a workspace open. The result said is the first line that the command
// writes to standard error.
func (p Home) StartAndKeepOpen(args ...string) (keeper *exec.Cmd, said string) {
	p.T.Helper()
	keeper = exec.CommandContext(p.T.Context(), Program, args...)
	keeper.Env = p.Environ()
	stderr, err := keeper.StderrPipe()
	require.NoError(p.T, err)
	require.NoError(p.T, keeper.Start())
	said, err = bufio.NewReader(stderr).ReadString('\n')
	require.NoError(p.T, err, said)
	return keeper, said
}
