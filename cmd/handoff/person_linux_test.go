package main

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Wherever the streams of a command lead, it asks the person at its own terminal.
func TestConfirm_AsksAtTerminal(t *testing.T) {
	p := commandtest.NewHome(t)
	p.Must("send", "dba", "Drop it", "--agent", "dev", "--needs-approval")
	person, program := commandtest.OpenTerminal(t)
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "approve", "1", "--agent", "human", "--workspace", "w")
	cmd.Env, cmd.Dir = append(p.Environ(), "HOME="+p.State), p.State
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles = append(cmd.ExtraFiles, program)
	require.NoError(t, cmd.Start())
	require.NoError(t, person.SetReadDeadline(time.Now().Add(commandtest.Patience)))
	asked, err := bufio.NewReader(person).ReadString(':')
	require.NoError(t, err)
	require.Contains(t, asked, "ho_1 (Drop it), from dev to dba, is approved by a person alone.")
	_, err = person.WriteString("yes\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	require.Contains(t, p.Must("show", "1", "--audit"), `"proof": "terminal"`)
}
