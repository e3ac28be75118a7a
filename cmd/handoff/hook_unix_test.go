//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAHookIsSilentWhenTheOwnerOfTheStoreDoesNotAnswer(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	p.must("send", "codex", "Test it", "--agent", "dev")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGSTOP))
	began := time.Now()
	out, err := p.hookProcess(nil, `{"session_id":"s1"}`, "hook", "prompt", "--client", "codex").CombinedOutput()
	took := time.Since(began)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGCONT))
	require.NoError(t, err)
	require.Empty(t, string(out))
	require.Less(t, took, 5*time.Second, "its limit is 1.8 s")
	s.leave()
	require.Contains(t, p.hooked(nil, `{"session_id":"s1"}`, "prompt", "--client", "codex"), "ho_1", "it was not told")
}

// The session of Codex is told by a command of Codex, once for each handoff.
func TestASessionOfCodexIsWokenByItsQueue(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	bin := t.TempDir()
	queued := filepath.Join(bin, "queued")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + queued + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "codex"), []byte(script), 0o700))
	vars := map[string]string{"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	waker := p.hookProcess(vars, "", "wait", "--hook", "--client", "codex", "--codex-thread", "t1")
	require.NoError(t, waker.Start())
	p.must("send", "codex", "Test the login form", "--agent", "dev")
	require.NoError(t, waker.Wait())
	said, err := os.ReadFile(queued)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(said), "queue\n--thread\nt1\n--message\nhandoff: ho_1 came for codex."), string(said))
	require.Equal(t, 1, strings.Count(string(said), "--thread"))
	s.leave()
}

// Whatever is wrong with it, a hook ends, and not with the status that blocks or wakes a session.
func TestAHookWithAWrongCommandLineIsSilent(t *testing.T) {
	p := newPlace(t)
	p.must("send", "codex", "Test it", "--agent", "dev")
	pipe := filepath.Join(t.TempDir(), "debug") // which nobody reads
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"hook", "stop", "--client", "codex", "--agent", "B AD"},
		{"--bogus", "hook", "stop"},
		{"wait", "--hook=true", "--agent", "B AD"},
		{"wait", "--hook", "--bogus"},
	} {
		out, err := p.hookProcess(map[string]string{"HANDOFF_HOOK_DEBUG": pipe}, "{", args...).CombinedOutput()
		require.NoError(t, err, args)
		require.Empty(t, string(out), args)
	}
}
