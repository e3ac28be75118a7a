package cli_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

func TestWhatTakesLongIsToldAtATerminalOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		term     string
		takes    time.Duration
		want     string
	}{
		"at a terminal": {true, "xterm", 2500 * time.Millisecond, "\r\x1b[Kverifying, 1 s\r\x1b[Kverifying, 2 s\r\x1b[K"},
		"soon over":     {true, "xterm", 900 * time.Millisecond, ""},
		"dumb":          {true, "dumb", 5 * time.Second, ""},
		"a pipe":        {false, "xterm", 5 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errs bytes.Buffer
				a := cli.App{Env: cli.Env{
					Stderr: &errs, Getenv: func(string) string { return tt.term }, IsTerminal: func(any) bool { return tt.terminal },
				}}
				end := a.Busy("verifying")
				time.Sleep(tt.takes)
				end()
				end()
				require.Equal(t, tt.want, errs.String())
			})
		})
	}
}
