package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
)

// runHook runs a hook in this process and returns its output. It has to end with status 0 and without an error.
func runHook(p commandtest.Home, vars map[string]string, report string, args ...string) string {
	p.T.Helper()
	e := cli.Env{Stdin: strings.NewReader(report), Cwd: p.State}
	args = append([]string{"hook", "--workspace", "w"}, args...)
	code, out, errs := commandtest.Execute(p.T.Context(), e, commandtest.StateVars(p.State, vars), args...)
	require.Zero(p.T, code)
	require.Empty(p.T, errs)
	return out
}

// newHookProcess returns a command that runs a hook as a separate process.
func newHookProcess(p commandtest.Home, vars map[string]string, report string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.T.Context(), commandtest.Program, append(args, "--workspace", "w")...)
	cmd.Env = []string{"XDG_STATE_HOME=" + p.State, "PATH=" + os.Getenv("PATH")}
	for name, value := range vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin = strings.NewReader(report)
	return cmd
}

// A client may ask again and again whether it may stop. The hook objects once for each handoff, and then no more. Codex
// itself has no limit.
func TestStopHook_ObjectsOncePerHandoff(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"claude-code": `{"session_id":"s1","hook_event_name":"Stop","stop_hook_active":%t,"last_assistant_message":"done"}`,
		"codex":       `{"session_id":"s1","turn_id":"t1","hook_event_name":"Stop","stop_hook_active":%t}`,
		"gemini-cli":  `{"session_id":"s1","hook_event_name":"AfterAgent","prompt":"x","prompt_response":"y","stop_hook_active":%t}`,
	}
	for client, form := range forms {
		for _, honest := range []bool{true, false} { // about an earlier objection
			t.Run(fmt.Sprint(client, " ", honest), func(t *testing.T) {
				p := commandtest.NewHome(t)
				var blocks []int
				active := false
				for i := range 40 {
					if i == 0 || i == 20 {
						p.Must("send", client, fmt.Sprint("task ", i), "--agent", "dev")
						p.Must("claim", "--agent", client)
					}
					out := runHook(p, nil, fmt.Sprintf(form, active && honest), "stop", "--client", client)
					if active = out != ""; active {
						blocks = append(blocks, i)
						require.JSONEq(t, `"block"`, string(jsonField(t, out, "decision")))
					}
				}
				require.Equal(t, []int{0, 20}, blocks)
			})
		}
	}
}

func jsonField(t *testing.T, object, name string) json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(object), &fields))
	return fields[name]
}

// The server that Claude Code starts for a session tells its model the same name as its hooks.
func TestHook_ActsAsSessionOfItsClient(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	session := func(id, pid string) map[string]string {
		vars := claudeVariables(id)
		vars["CLAUDE_PID"] = pid
		return vars
	}
	p.Must("send", "claude-code-2", "Test it", "--agent", "dev")
	first := p.StartServerFor("claude-code", claudeVariables("s1"))
	require.Contains(t, runHook(p, session("s2", fmt.Sprint(os.Getppid())), `{"session_id":"s2","hook_event_name":"SessionStart"}`, "session-start"), "You are claude-code-2 ")
	second := p.StartServerFor("claude-code", claudeVariables("s2"))
	require.Contains(t, second.Hello, `\nYou are claude-code-2 (s2) in workspace w.`)
	require.Contains(t, second.Request("tools/call", `{"name": "claim_handoff", "arguments": {}}`), "ho_1")
	require.Empty(t, runHook(p, session("s1", "1"), `{"session_id":"s1","hook_event_name":"Stop"}`, "stop"))
	require.Contains(t, runHook(p, session("s2", fmt.Sprint(os.Getppid())), `{"session_id":"s2","hook_event_name":"Stop"}`, "stop"), "ho_1 from dev")
	second.CloseInput()
	first.CloseInput()
}

// The client may leave the input open.
func TestHook_WithoutReportIsSilent(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "codex", "Test it", "--agent", "dev")
	cmd := newHookProcess(p, nil, "", "hook", "prompt", "--client", "codex")
	cmd.Stdin = nil
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
	_ = in.Close() // it was closed when the process ended
}

func TestHook_IsSilentWithUnreadableStore(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "codex", "Test it", "--agent", "dev")
	store := filepath.Join(p.State, "handoff", "w", "handoff.db")
	require.NoError(t, os.WriteFile(store, []byte("of another program"), 0o600))
	debug := filepath.Join(t.TempDir(), "debug.log")
	require.Empty(t, runHook(p, map[string]string{"HANDOFF_HOOK_DEBUG": debug}, `{"session_id":"s1"}`, "prompt", "--client", "codex"))
	why, err := os.ReadFile(debug)
	require.NoError(t, err)
	require.Contains(t, string(why), "the file of workspace w")
}

func TestWaitHook_WakesSleepingSession(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServerFor("claude-code", claudeVariables("s1"))
	report := `{"session_id":"s1","hook_event_name":"Stop"}`
	type ended struct {
		status int
		said   string
	}
	ends := make(chan ended, 2)
	for range 2 {
		go func() {
			cmd := newHookProcess(p, claudeVariables("s1"), report, "wait", "--hook")
			said, _ := cmd.CombinedOutput() // the status is checked below
			ends <- ended{cmd.ProcessState.ExitCode(), string(said)}
		}()
	}
	require.Equal(t, ended{}, <-ends, "the newer one waits")
	p.Must("send", "claude-code", "Test the login form", "--agent", "dev")
	woken := <-ends
	require.Equal(t, 2, woken.status)
	require.Contains(t, woken.said, "handoff: ho_1 came for claude-code.")
	require.Contains(t, woken.said, "> Test the login form")
	require.Empty(t, runHook(p, claudeVariables("s1"), report, "prompt"), "it was told")

	s.Request("tools/call", `{"name": "claim_handoff", "arguments": {}}`)
	out, err := newHookProcess(p, claudeVariables("s1"), report, "wait", "--hook").CombinedOutput()
	require.NoError(t, err, "it is at work")
	require.Empty(t, string(out))
	s.CloseInput()
}

// Claude Code with -p does not begin before its hooks have ended.
func TestWaitHook_EndsInUnattendedSession(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServerFor("claude-code", claudeVariables("s1"))
	vars := claudeVariables("s1")
	vars["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
	out, err := newHookProcess(p, vars, `{"session_id":"s1","hook_event_name":"SessionStart"}`, "wait", "--hook").CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
	s.CloseInput()
}

func TestWaitHook_EndsIfClientHasEnded(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServerFor("claude-code", claudeVariables("s1"))
	client := exec.CommandContext(t.Context(), commandtest.Program, "version") // any process
	require.NoError(t, client.Run())
	vars := claudeVariables("s1")
	vars["CLAUDE_PID"] = fmt.Sprint(client.Process.Pid)
	require.NoError(t, newHookProcess(p, vars, `{"session_id":"s1"}`, "wait", "--hook").Run())
	s.CloseInput()
}

func TestWaitHook_EndsWithClient(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	t.Parallel() // it checks the process from time to time
	p := commandtest.NewHome(t)
	s := p.StartServerFor("claude-code", claudeVariables("s1"))
	client := exec.CommandContext(t.Context(), commandtest.Program, "mcp", "--workspace", "another") // any process
	client.Env = []string{"XDG_STATE_HOME=" + p.State}
	in, err := client.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, client.Start())
	vars := claudeVariables("s1")
	vars["CLAUDE_PID"] = fmt.Sprint(client.Process.Pid)
	waker := newHookProcess(p, vars, `{"session_id":"s1"}`, "wait", "--hook")
	require.NoError(t, waker.Start())
	require.NoError(t, in.Close())
	require.NoError(t, client.Wait())
	require.NoError(t, waker.Wait())
	s.CloseInput()
}
