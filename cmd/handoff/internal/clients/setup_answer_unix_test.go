//go:build unix

package clients_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
)

// typing runs a command at a terminal at which somebody types, and interrupts it when it has written what is waited for.
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

func TestCtrlCAtAQuestionChangesNothing(t *testing.T) {
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

// Who interrupts setup interrupts all of it: also what the command of a client was about to do.
func TestCtrlCEndsASetup(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	bin, began := t.TempDir(), filepath.Join(t.TempDir(), "began")
	require.NoError(t, syscall.Mkfifo(began, 0o600))
	hanging := "#!/bin/sh\necho yes >" + began + "\nsleep 60\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "claude"), []byte(hanging), 0o700))
	vars := map[string]string{"HOME": p.State, "PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH")}

	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(began) // until it has begun
		interrupt()
	}()
	var out strings.Builder
	e := cli.Env{Stdout: &out, Stderr: &out, Cwd: p.State}
	code, _, _ := commandtest.Execute(ctx, e, vars, "setup", "claude-code", "cursor", "--yes")
	require.Equal(t, 1, code, out.String())
	require.Equal(t, 3, strings.Count(out.String(), "left alone: it was interrupted"), out.String())
	for _, name := range []string{".claude.json", ".claude", ".cursor"} {
		require.NoFileExists(t, filepath.Join(p.State, name, "settings.json"))
		require.NoFileExists(t, filepath.Join(p.State, name, "mcp.json"))
	}
	require.NoFileExists(t, filepath.Join(p.State, ".claude.json"))
}
