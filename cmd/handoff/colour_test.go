package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// On a real terminal pictures and states have colours; with --no-color, and in a pipe, nothing has.
func TestColour_OnlyOnTerminals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("script(1) is called otherwise here")
	}
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("there is no script(1) to make a terminal with")
	}
	d := commandtest.NewHostileDesk(t)
	for _, command := range []string{"show 1", "show 2 --full", "list --all", "history", "wait 1", "audit verify", "agents"} {
		t.Run(command, func(t *testing.T) {
			line := commandtest.Program + " " + command
			shown := onTerminal(t, d.State, line)
			require.Regexp(t, colours, shown)
			text := strings.ReplaceAll(colours.ReplaceAllString(shown, ""), "\r\n", "\n")
			require.Equal(t, schemas.EscapeHidden(text), text, "only colours are added")
			require.NotRegexp(t, colours, onTerminal(t, d.State, "NO_COLOR=1 "+line))
			require.NotRegexp(t, colours, onTerminal(t, d.State, line+" --no-color"))
			require.NotRegexp(t, colours, onTerminal(t, d.State, line+" | cat"))
		})
	}
}

// onTerminal runs a shell line with a terminal of its own and returns the screen.
func onTerminal(t *testing.T, state, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "script", "-qec", line, os.DevNull)
	cmd.Env = []string{
		"XDG_STATE_HOME=" + state, "HANDOFF_WORKSPACE=w", "HANDOFF_AGENT=qa", "PATH=" + os.Getenv("PATH"), "TERM=xterm", "SHELL=/bin/sh",
		"GORACE=atexit_sleep_ms=0",
	}
	cmd.Dir = state
	out, err := cmd.Output()
	var ended *exec.ExitError // wait says how it ended
	require.True(t, err == nil || errors.As(err, &ended), "%v", err)
	require.NotEmpty(t, out)
	return string(out)
}
