//go:build linux

package figures_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
)

// TestGrowth_StaysWithinBounds prints the costs of a workspace with many completed handoffs and of an empty workspace,
// in the same run. HANDOFF_STORED is the number of handoffs. Without HANDOFF_STORED the test uses a small number, to
// check that it works.
func TestGrowth_StaysWithinBounds(t *testing.T) {
	stored := programtest.ProofSize(t, "HANDOFF_STORED", 200, 200, strconv.Atoi)
	r := &run{T: t, calls: 32, rounds: 1, stored: stored}
	if stored > 200 {
		r.calls, r.rounds = 400, 3
	}
	r.program, r.dir = made.Program(t), r.repository(min(5000, stored))
	small, large := r.TempDir(), r.TempDir()
	r.fill(large, stored)
	r.grown(small, large)
	t.Log("\n" + r.table())
}

// grown compares calls of a server of each workspace, which do the same.
func (r *run) grown(small, large string) {
	server := func(state string) *process { return r.agent(state, r.program, "planner") }
	with := func(what string) string { return fmt.Sprintf("%d stored: %s", r.stored, what) }
	server(small).end()
	same := "the same with nothing stored"
	list := func(state string) func() time.Duration {
		return func() time.Duration { return r.listed(state, r.program, "mcp", "--workspace", "figures") }
	}
	r.byTurns(with("start to tools/list"), same, "≤ 2", max(1, r.calls/20), list(large), list(small))
	ours, empty := server(large), server(small)
	defer func() { ours.end(); empty.end() }()
	r.compare(with(""), ours, empty, same, map[int]string{claims: "≤ 1.5", completions: "≤ 1.5", wholes: "≤ 1.5"})
	for what, arguments := range map[string]string{"list_handoffs": `{"box":"sent"}`, "handoff_history": "{}"} {
		ask := func(p *process) func() time.Duration {
			return func() time.Duration {
				return took(func() { p.call(fmt.Sprintf(`{"name":%q,"arguments":%s}`, what, arguments)) })
			}
		}
		r.byTurns(with(what+", p50"), same, "≤ 1.5", r.calls, ask(ours), ask(empty))
	}
	r.add(with("memory after that"), "MB", same, "≤ 60 MB", func() (float64, float64) {
		return ours.anonymous(), empty.anonymous()
	})
	r.add(with("verify"), "events/s", "", "≥ 100000", func() (float64, float64) { return ours.verifies(large), 0 })
}

// verifies is how many events of the registry the command checks in a second.
func (p *process) verifies(state string) float64 {
	began := time.Now()
	out := p.said(state, p.program, "audit", "verify", "--json", "--workspace", "figures")
	took := time.Since(began)
	var audit struct {
		OK     bool
		Events int
	}
	require.NoError(p, json.Unmarshal(out, &audit))
	require.True(p, audit.OK)
	return float64(audit.Events) / took.Seconds()
}
