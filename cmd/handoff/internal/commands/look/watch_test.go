package look_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

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

// An event concerns an agent even if the agent is named only in the handoff, as its sender or as its holder.
func TestWatch_OfOneAgentShowsItsEvents(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	d.Must("qa", "agents", "register", "qa", "--accepts", "test")
	d.Must("dev", "send", "capability:test", "Test it")
	d.Must("qa", "claim")
	d.Must("qa", "update", "1", "--ask", "Which?")
	d.Must("human", "update", "1", "--answer", "All")
	d.Must("ops", "send", "boss", "Hello", "--parent", "none", "--force")
	require.Contains(t, watchOutput(d, false, 2, "--agent", "qa", "--since", "3"), "human\tanswered")
	require.Contains(t, watchOutput(d, false, 4, "--agent", "dev"), "human\tanswered")
	require.NotContains(t, watchOutput(d, false, 1, "--agent", "boss"), "ho_1")
}
