//go:build unix

package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The hook ends by its own limit, while the owner still does not answer.
func TestHook_IsSilentIfOwnerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	p.Must("send", "codex", "Test it", "--agent", "dev")
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGSTOP))
	debug := filepath.Join(t.TempDir(), "debug.log")
	vars := map[string]string{"HANDOFF_HOOK_DEBUG": debug}
	out, err := newHookProcess(p, vars, `{"session_id":"s1"}`, "hook", "prompt", "--client", "codex").CombinedOutput()
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGCONT))
	require.NoError(t, err)
	require.Empty(t, string(out))
	why, err := os.ReadFile(debug)
	require.NoError(t, err)
	require.Contains(t, string(why), "context deadline exceeded")
	s.CloseInput()
	require.Contains(t, runHook(p, nil, `{"session_id":"s1"}`, "prompt", "--client", "codex"), "ho_1", "it was not told")
}

// A command of Codex reports mail to the session of Codex, once for each handoff.
func TestWaitHook_WakesCodexByQueue(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	bin := t.TempDir()
	queued := filepath.Join(bin, "queued")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + queued + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "codex"), []byte(script), 0o700))
	vars := map[string]string{"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	waker := newHookProcess(p, vars, "", "wait", "--hook", "--client", "codex", "--codex-thread", "t1")
	require.NoError(t, waker.Start())
	p.Must("send", "codex", "Test the login form", "--agent", "dev")
	require.NoError(t, waker.Wait())
	said, err := os.ReadFile(queued)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(said), "queue\n--thread\nt1\n--message\nhandoff: ho_1 came for codex."), string(said))
	require.Equal(t, 1, strings.Count(string(said), "--thread"))
	s.CloseInput()
}

// A hook with any fault ends without the status that blocks or wakes a session.
func TestHook_WithWrongCommandLineIsSilent(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "codex", "Test it", "--agent", "dev")
	pipe := filepath.Join(t.TempDir(), "debug") // it has no reader
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"hook", "stop", "--client", "codex", "--agent", "B AD"},
		{"--bogus", "hook", "stop"},
		{"wait", "--hook=true", "--agent", "B AD"},
		{"wait", "--hook", "--bogus"},
	} {
		out, err := newHookProcess(p, map[string]string{"HANDOFF_HOOK_DEBUG": pipe}, "{", args...).CombinedOutput()
		require.NoError(t, err, args)
		require.Empty(t, string(out), args)
	}
}

// A hook repeats texts that it could not deliver.
func TestHook_RepeatsUndeliveredNews(t *testing.T) {
	const report = `{"session_id":"s1"}`
	closed := func(t *testing.T) *os.File {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		return w
	}
	full := func(t *testing.T) *os.File {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, r.Close()) })
		require.NoError(t, w.SetWriteDeadline(time.Now().Add(time.Second)))
		for err == nil {
			_, err = w.Write(make([]byte, 4096))
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		return w
	}
	for name, stdout := range map[string]func(*testing.T) *os.File{"nobody reads": closed, "nobody goes on to read": full} {
		for _, event := range []string{"session-start", "prompt", "tool"} {
			t.Run(name+" "+event, func(t *testing.T) {
				t.Parallel()
				p := commandtest.NewHome(t)
				p.Must("send", "codex", "Test it", "--agent", "dev")
				hook := newHookProcess(p, nil, report, "hook", event, "--client", "codex")
				out := stdout(t)
				hook.Stdout = out
				require.NoError(t, hook.Run(), "it ends with status 0")
				require.NoError(t, out.Close())
				require.Contains(t, runHook(p, nil, report, "prompt", "--client", "codex"), "ho_1")
				require.Empty(t, runHook(p, nil, report, "prompt", "--client", "codex"))
			})
		}
	}
}

func TestWaitHook_RetriesAfterQueueFailed(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "codex", "Test it", "--agent", "dev")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	vars := map[string]string{"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	out, err := newHookProcess(p, vars, "", "wait", "--hook", "--client", "codex", "--codex-thread", "t1").CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
	require.Contains(t, runHook(p, nil, `{"session_id":"t1"}`, "prompt", "--client", "codex"), "ho_1")
}

// A client may leave the input of a hook open, and then ask it to end.
func TestHook_WithoutReportEndsOnSignal(t *testing.T) {
	for name, args := range map[string][]string{
		"hook": {"hook", "stop", "--client", "codex"},
		"wait": {"wait", "--hook", "--client", "claude-code"},
	} {
		for _, s := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGQUIT} {
			t.Run(fmt.Sprint(name, " ", int(s)), func(t *testing.T) {
				t.Parallel()
				p := commandtest.NewHome(t)
				p.Must("send", "codex", "Test it", "--agent", "dev")
				hook := newHookProcess(p, nil, "", args...)
				in, out, err := os.Pipe()
				require.NoError(t, err)
				defer in.Close()
				defer out.Close()
				hook.Stdin = in
				var said strings.Builder
				hook.Stdout, hook.Stderr = &said, &said
				require.NoError(t, hook.Start())
				_, err = out.Write(bytes.Repeat([]byte(" "), 128<<10)) // more than a pipe holds: the hook has begun to read
				require.NoError(t, err)
				if s != 0 {
					require.NoError(t, hook.Process.Signal(s))
				}
				require.NoError(t, hook.Wait())
				require.Empty(t, said.String())
			})
		}
	}
}
