package clients_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// examined runs doctor in a home without clients.
func examined(p commandtest.Home) (code int, out string) {
	p.T.Helper()
	code, out, errs := p.RunWith(map[string]string{"HOME": p.State}, "doctor")
	require.Empty(p.T, errs)
	return code, out
}

func TestDoctor_ReportsStoppedOwner(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`)
	pid := s.Cmd.Process.Pid
	_, out := examined(p)
	require.Regexp(t, fmt.Sprintf(`(?m)^ok owner: process %d, handoff \S+, for \d+s$`, pid), out)
	require.Contains(t, out, "ok store: it is whole: 1 event of 1 handoff\n")

	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil) // until it has stopped
	require.NoError(t, err)
	code, out := examined(p)
	require.Equal(t, 2, code)
	require.Contains(t, out, "error store: it does not open: the handoff process that has workspace w open")
	require.Contains(t, out, "does not answer. It may be stopped")

	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	s.Request("ping", "{}")
	code, out = examined(p)
	require.Less(t, code, 2, out)
	s.CloseInput()
}
