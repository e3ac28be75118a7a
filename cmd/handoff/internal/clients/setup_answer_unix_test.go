//go:build unix

package clients_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
)

// typing runs a command at a terminal with typed input, and interrupts it when its output contains interruptAt.
func typing(p commandtest.Home, typed io.Reader, interruptAt string, vars map[string]string, args ...string) (code int, said string) {
	p.T.Helper()
	ctx, interrupt := context.WithCancel(p.T.Context())
	defer interrupt()
	out := &untilWritten{text: interruptAt, then: interrupt}
	terminal := func(any) bool { return true }
	e := cli.Env{
		Executable: commandtest.Program, Stdin: typed, Stdout: out, Stderr: out, IsTerminal: terminal, Cwd: p.State,
	}
	code, _, _ = commandtest.Execute(ctx, e, vars, args...)
	return code, out.String()
}

type untilWritten struct {
	strings.Builder
	text string
	then func()
}

func (w *untilWritten) Write(b []byte) (int, error) {
	n, err := w.Builder.Write(b)
	if strings.Contains(w.String(), w.text) {
		w.then()
	}
	return n, err
}

func TestSetup_CtrlCAtQuestionChangesNothing(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	vars := map[string]string{"HOME": p.State}
	nobody, keyboard := io.Pipe()
	defer keyboard.Close()
	code, said := typing(p, nobody, "[y/N]", vars, "setup", "cursor")
	require.Equal(t, 5, code, said)
	require.Contains(t, said, "it was interrupted\n  Nothing was done.")
	require.NoFileExists(t, filepath.Join(p.State, ".cursor", "mcp.json"))
	code, said = typing(p, strings.NewReader(" Y\n"), "never", vars, "setup", "cursor")
	require.FileExists(t, filepath.Join(p.State, ".cursor", "mcp.json"), "%d: %s", code, said)
}
