package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// patience is how long something that happens at once may take where the machine is slow.
const patience = 20 * time.Second

// watched is what watch prints of its first n lines.
func (d desk) watched(terminal bool, n int, args ...string) string {
	d.Helper()
	var stdout bytes.Buffer
	ctx, leave := context.WithTimeout(d.Context(), patience)
	defer leave()
	out := &counted{Writer: &stdout, left: n, leave: leave}
	e := d.env()
	e.Stdout, e.IsTerminal = out, func(any) bool { return terminal }
	code, _, errs := execute(ctx, e, d.vars("", "NO_COLOR"), append([]string{"watch", "--since", "0"}, args...)...)
	require.Zero(d, code, errs)
	require.Zero(d, out.left, stdout.String())
	return stdout.String()
}

func TestWatchRepaintsNoTerminal(t *testing.T) {
	d := hostile(t)
	for _, terminal := range []bool{false, true} {
		for _, args := range [][]string{nil, {"--json"}, {"--agent", "qa"}} {
			shown := d.watched(terminal, 8, args...)
			require.Equal(t, schemas.Visible(shown), shown)
			require.Len(t, bytes.Split([]byte(shown), []byte("\n")), 9, "an event is one line")
			require.Contains(t, shown, "東京")
		}
	}
}

// What concerns an agent is found also where it is named only in the handoff: as its sender, or as who holds what
// was sent to a capability.
func TestWatchForAnAgentShowsWhatConcernsIt(t *testing.T) {
	d := newDesk(t)
	d.must("qa", "agents", "register", "qa", "--accepts", "test")
	d.must("dev", "send", "capability:test", "Test it")
	d.must("qa", "claim")
	d.must("qa", "update", "1", "--ask", "Which?")
	d.must("human", "update", "1", "--answer", "All")
	d.must("ops", "send", "boss", "Hello", "--parent", "none", "--force")
	require.Contains(t, d.watched(false, 2, "--agent", "qa", "--since", "3"), "human\tanswered")
	require.Contains(t, d.watched(false, 4, "--agent", "dev"), "human\tanswered")
	require.NotContains(t, d.watched(false, 1, "--agent", "boss"), "ho_1")
}
