package main

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// examined is what doctor says in a home without clients.
func (p home) examined() (code int, out string) {
	p.t.Helper()
	code, out, errs := p.runWith(map[string]string{"HOME": p.state}, "doctor")
	require.Empty(p.t, errs)
	return code, out
}

func TestDoctorFindsAnOwnerThatWasStopped(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	s.ask("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`)
	pid := s.cmd.Process.Pid
	_, out := p.examined()
	require.Regexp(t, fmt.Sprintf(`(?m)^ok owner: process %d, handoff \S+, for \d+s$`, pid), out)
	require.Contains(t, out, "ok store: it is whole: 1 event of 1 handoff\n")

	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil) // until it is
	require.NoError(t, err)
	code, out := p.examined()
	require.Equal(t, 2, code)
	require.Contains(t, out, fmt.Sprintf("error owner: process %d has the workspace open and is stopped", pid))
	require.Contains(t, out, fmt.Sprintf("  try: kill -CONT %d\n", pid))
	require.Contains(t, out, "skipped store: what is in it was not looked at: who has it open does not answer\n")

	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	s.ask("ping", "{}")
	code, out = p.examined()
	require.Less(t, code, 2, out)
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended(), "%s", s.said())
}
