//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Ctrl-C at an input that never comes must return the prompt, and a script must see that it was no answer.
func TestSignal_EndsWaitingCommand(t *testing.T) {
	const ctrlC, term = syscall.SIGINT, syscall.SIGTERM
	for name, tt := range map[string]struct {
		sig  syscall.Signal
		args []string
	}{
		"for a flag from standard input":      {ctrlC, []string{"send", "qa", "x", "--detail", "-"}},
		"for a task from standard input":      {term, []string{"send", "qa", "-"}},
		"for a call from standard input":      {ctrlC, []string{"call", "send_handoff", "-"}},
		"for a result from standard input":    {term, []string{"complete", "1", "--summary", "-"}},
		"for a workspace from standard input": {term, []string{"import", "-"}},
		"for mail":                            {ctrlC, []string{"claim", "--wait", "60"}},
		"for an end":                          {ctrlC, []string{"wait", "1"}},
		"for a template without an end":       {ctrlC, []string{"render", "endless"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := commandtest.NewHome(t)
			p.Must("send", "qa", "x", "--agent", "dev")
			require.NoError(t, os.WriteFile(filepath.Join(p.State, "endless"), []byte("{{range 999999999999}}{{end}}"), 0o600))
			silent, w, err := os.Pipe() // nobody writes to it
			require.NoError(t, err)
			t.Cleanup(func() { _, _ = silent.Close(), w.Close() })
			code := -1
			for after := 100 * time.Millisecond; code < 0 && after < 10*time.Second; after *= 4 { // it may not listen yet
				cmd := exec.CommandContext(t.Context(), commandtest.Program, tt.args...)
				cmd.Dir, cmd.Env, cmd.Stdin = p.State, append(p.Environ(), "HANDOFF_AGENT=dev", "HANDOFF_WORKSPACE=w"), silent
				require.NoError(t, cmd.Start())
				signalled := time.AfterFunc(after, func() { _ = cmd.Process.Signal(tt.sig) })
				stuck := time.AfterFunc(after+10*time.Second, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				code = cmd.ProcessState.ExitCode()
				require.False(t, signalled.Stop(), "it ended by itself")
				require.True(t, stuck.Stop(), "it did not end")
			}
			require.Equal(t, 128+int(tt.sig), code)
		})
	}
}
