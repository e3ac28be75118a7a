package look_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// watchOutput returns the first n lines of watch.
func watchOutput(d commandtest.Desk, terminal bool, n int, args ...string) string {
	d.Helper()
	var stdout bytes.Buffer
	ctx, leave := context.WithTimeout(d.Context(), commandtest.Patience)
	defer leave()
	out := &commandtest.LineLimitWriter{Writer: &stdout, Left: n, Leave: leave}
	e := d.Env()
	e.Stdout, e.IsTerminal = out, func(any) bool { return terminal }
	vars := d.Vars("", "NO_COLOR")
	code, _, errs := commandtest.Execute(ctx, e, vars, append([]string{"watch", "--since", "0"}, args...)...)
	require.Zero(d, code, errs)
	require.Zero(d, out.Left, stdout.String())
	return stdout.String()
}

func TestWatch_CannotRepaintTerminal(t *testing.T) {
	d := commandtest.NewHostileDesk(t)
	for _, terminal := range []bool{false, true} {
		for _, args := range [][]string{nil, {"--json"}, {"--agent", "qa"}} {
			shown := watchOutput(d, terminal, 8, args...)
			require.Equal(t, schemas.EscapeHidden(shown), shown)
			require.Len(t, bytes.Split([]byte(shown), []byte("\n")), 9, "an event is one line")
			require.Contains(t, shown, "東京")
		}
	}
}
