package cli_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/store"
)

func TestWhatTakesLongIsToldAtATerminalOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		term     string
		columns  string
		takes    time.Duration
		want     string
	}{
		"at a terminal": {true, "xterm", "", 2500 * time.Millisecond, "\r\x1b[K1 s: verifying\r\x1b[K2 s: verifying\r\x1b[K"},
		"a narrow one":  {true, "xterm", "10", 1500 * time.Millisecond, "\r\x1b[K1 s: ver…\r\x1b[K"},
		"soon over":     {true, "xterm", "", 900 * time.Millisecond, ""},
		"dumb":          {true, "dumb", "", 5 * time.Second, ""},
		"a pipe":        {false, "xterm", "", 5 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errs bytes.Buffer
				a := cli.App{Env: cli.Env{
					Stderr: &errs, Getenv: func(name string) string { return map[string]string{"TERM": tt.term, "COLUMNS": tt.columns}[name] }, IsTerminal: func(any) bool { return tt.terminal },
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

func TestWhatReadsAWholeStoreTellsHowFarItIs(t *testing.T) {
	for json, want := range map[bool]string{
		false: "\r\x1b[K1 s: verifying: 12,000 of 1,234,567 events\r\x1b[K2 s: verifying: 900 records\r\x1b[K", true: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var errs bytes.Buffer
			a := cli.App{JSON: json, Env: cli.Env{
				Stderr: &errs, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return true },
			}}
			ctx, end := a.Progress(t.Context(), "verifying")
			store.ProgressOf(ctx)("events", 12_000, 1_234_567)
			time.Sleep(1500 * time.Millisecond)
			store.ProgressOf(ctx)("records", 900, 0)
			time.Sleep(time.Second)
			end()
			require.Equal(t, want, errs.String())
		})
	}
}
