package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"handoff/cmd/handoff/internal/commandtest"
)

// Ctrl-C reaches all processes of a console, so the test gets one of its own, and does not listen itself.
func TestCtrlC_EndsStayingCommand(t *testing.T) {
	console := windows.NewLazySystemDLL("kernel32.dll")
	_, _, _ = console.NewProc("FreeConsole").Call() // there may be none
	got, _, err := console.NewProc("AllocConsole").Call()
	require.NotZero(t, got, err)
	here := make(chan os.Signal, 10)
	signal.Notify(here, os.Interrupt)
	t.Cleanup(func() { signal.Stop(here) })
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "x", "--agent", "dev")
	for command, code := range map[string]int{"watch --since 0": 0, "serve": 0} {
		args := append(strings.Fields(command), "--workspace", "w")
		cmd := exec.CommandContext(t.Context(), commandtest.Program, args...)
		cmd.Env = p.Environ()
		said, w := io.Pipe()
		cmd.Stdout, cmd.Stderr = w, w
		require.NoError(t, cmd.Start())
		_, err := bufio.NewReader(said).ReadString('\n') // it listens by then
		require.NoError(t, err)
		go io.Copy(io.Discard, said) //nolint:errcheck // what else it says
		require.NoError(t, windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0))
		_ = cmd.Wait()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), command)
		p.Must("inbox", "--agent", "qa")
	}
}
