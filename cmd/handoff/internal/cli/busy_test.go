package cli_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

func TestShowProgress_PrintsOnlyOnTerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		json     bool
		term     string
		columns  string
		takes    time.Duration
		want     string
	}{
		"at a terminal": {true, false, "xterm", "", 2500 * time.Millisecond, "\r\x1b[K1 s: verifying\r\x1b[K2 s: verifying\r\x1b[K"},
		"a narrow one":  {true, false, "xterm", "10", 1500 * time.Millisecond, "\r\x1b[K1 s: ver…\r\x1b[K"},
		"soon over":     {true, false, "xterm", "", 900 * time.Millisecond, ""},
		"dumb":          {true, false, "dumb", "", 5 * time.Second, ""},
		"for programs":  {true, true, "xterm", "", 5 * time.Second, ""},
		"a pipe":        {false, false, "xterm", "", 5 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errs bytes.Buffer
				a := cli.App{JSON: tt.json, Env: cli.Env{
					Stderr: &errs, Getenv: func(name string) string { return map[string]string{"TERM": tt.term, "COLUMNS": tt.columns}[name] }, IsTerminal: func(any) bool { return tt.terminal },
				}}
				end := a.ShowProgress("verifying")
				time.Sleep(tt.takes)
				end()
				end()
				require.Equal(t, tt.want, errs.String())
			})
		})
	}
}
